//! Brokers that tests start, and a proxy that cuts their connections.

mod nats;
mod proxy;

pub use nats::{NatsServer, nats_server};
pub use proxy::{Cut, Proxy};
