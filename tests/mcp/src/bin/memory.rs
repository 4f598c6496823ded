//! Calls the MCP server `memory` from npm through generated types.

use std::error::Error;

use capgen::call::{Client, PeerTable, TransportSettings};
use capgen_mcp::{ClientOptions, McpClient, McpTransport, ServerCommand};
use capgen_test_mcp::memory::{
    CAPABILITIES, CreateEntities, CreateEntitiesRequest, CreateEntitiesRequestEntitiesItem,
    CreateEntitiesRequestEntitiesItemRequired, SearchNodes, SearchNodesRequest,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let command = ServerCommand::new("npx").args(["-y", "@modelcontextprotocol/server-memory"]);
    let server = McpClient::spawn(command, ClientOptions::default()).await?;
    let transport = McpTransport::new().with_server("memory", server.clone(), CAPABILITIES);
    let peers = PeerTable::new().with_transports(&"memory".parse()?, vec![TransportSettings::mcp("memory")]);
    let client = Client::builder("notes").transport(transport).peers(peers).build().await?;

    let entity = CreateEntitiesRequestEntitiesItem::new(CreateEntitiesRequestEntitiesItemRequired {
        name: "capgen".to_owned(),
        entity_type: "program".to_owned(),
        observations: vec!["checks contracts".to_owned()],
    });
    client.call::<CreateEntities>(&CreateEntitiesRequest::new(vec![entity])).await?;
    let found = client.call::<SearchNodes>(&SearchNodesRequest::new("contracts")).await?;
    for entity in found.entities {
        println!("{}", entity.name);
    }
    server.close().await;
    Ok(())
}
