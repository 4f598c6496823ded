//! Bodies that arrive slowly, or are large.

use std::time::Duration;

use capgen_net::http::{Intake, Options, ReadError, Whole, serve};
use capgen_net::{Admission, Budget, Server, listen};
use hyper::Response;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, timeout};

/// Longer than any test takes, unless it hangs.
const LONG: Duration = Duration::from_secs(60);

/// A server that answers with the number of bytes of the body, or the error.
async fn server(intake: Intake) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listen(listener, Admission::new(100), move |stream, seat, stop| {
        let intake = intake.clone();
        async move {
            let options = Options { head_timeout: LONG, half_close: true };
            serve(stream, options, stop, |request: hyper::Request<hyper::body::Incoming>| {
                let (intake, seat) = (intake.clone(), seat.clone());
                async move {
                    let text = match intake.receive(request.into_body(), &seat).await {
                        Ok((bytes, _)) => bytes.len().to_string(),
                        Err(ReadError::Slow) => "slow".to_owned(),
                        Err(other) => format!("{other:?}"),
                    };
                    Response::new(Whole::new(text.into()))
                }
            })
            .await;
        }
    })
    .unwrap()
}

fn intake(budget: &Budget) -> Intake {
    Intake { max: 16 << 20, window: Duration::from_secs(10), proof: None, budget: budget.clone() }
}

async fn start(server: &Server, length: usize, body: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let head = format!("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    stream
}

async fn answer(stream: &mut TcpStream) -> String {
    let mut answer = String::new();
    let _ = timeout(LONG, stream.read_to_string(&mut answer)).await.unwrap();
    answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default()
}

#[tokio::test]
async fn a_length_reserves_nothing() {
    let budget = Budget::memory(16 << 20, false);
    let server = server(intake(&budget)).await;
    let mut slow = Vec::new();
    for _ in 0..50 {
        slow.push(start(&server, 16 << 20, b"12345").await);
    }
    assert_eq!(answer(&mut start(&server, 8 << 20, &vec![0; 8 << 20]).await).await, (8 << 20).to_string());
    assert_eq!(budget.held(), 0);
}

#[tokio::test]
async fn a_body_that_stops_growing_is_slow_and_a_steady_one_is_not() {
    let budget = Budget::memory(16 << 20, false);
    let server = server(Intake { window: Duration::from_millis(400), ..intake(&budget) }).await;
    let mut stopped = start(&server, 1 << 20, &[0; 1 << 18]).await;
    // 400 bytes in 400 ms are enough; this is five times as much.
    let mut steady = start(&server, 30 * 100, &[]).await;
    let begin = Instant::now();
    for _ in 0..30 {
        steady.write_all(&[0; 100]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(begin.elapsed() > Duration::from_millis(400));
    assert_eq!(answer(&mut steady).await, "3000");
    assert_eq!(answer(&mut stopped).await, "slow");
}

#[tokio::test]
async fn a_peer_without_a_proof_has_a_time_for_it_however_fast_it_sends() {
    let budget = Budget::memory(16 << 20, true);
    let server = server(Intake { proof: Some(Duration::from_millis(200)), ..intake(&budget) }).await;
    let mut stream = start(&server, 16 << 20, &[0; 1 << 20]).await;
    assert_eq!(answer(&mut stream).await, "slow");
}
