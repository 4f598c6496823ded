//! The texts about an agent.

use super::reader::{Map, Reader};
use crate::{About, Contact, HttpsUrl, codes};

/// Reads the keys of [`About`].
pub(super) fn read(reader: &mut Reader<'_>, map: &Map<'_>) -> About {
    let [description, owner, contact, documentation] = About::KEYS;
    About {
        description: reader.text(map, description).map(str::to_owned),
        owner: reader.filled(map, owner).map(str::to_owned),
        contact: address(reader, map, (contact, Contact::RULE), Contact::new),
        documentation: address(reader, map, (documentation, HttpsUrl::RULE), HttpsUrl::new),
    }
}

/// The address at a key that `new` checks. The message does not quote it, because it may be a URL with credentials.
fn address<T>(
    reader: &mut Reader<'_>,
    map: &Map<'_>,
    (key, rule): (&str, &str),
    new: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    let member = map.get(key)?;
    let text = reader.filled(map, key)?;
    let address = new(text);
    if address.is_none() {
        let at = (member.value.span.clone(), "");
        let finding = reader.finding(codes::AGENT_ADDRESS, format!("`{key}` must be {rule}"), at, &map.below(key));
        let mail = text.strip_prefix("mailto:").is_some_and(|mail| new(mail).is_some());
        reader.report(finding.help(match mail {
            true => "write the email address without `mailto:`",
            false if key == About::KEYS[2] => {
                "write an address such as `team@example.com` or `https://example.com/help`"
            }
            false => "write a URL such as `https://docs.example.com/agent`",
        }));
    }
    address
}
