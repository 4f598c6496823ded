//! Who calls whom: a drawing and a table.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::{agent_link, caller, count};
use crate::fleet::{Call, Caller, Index};
use crate::html::Attribute::{Data, Fixed, Label, Number, Size};
use crate::html::{Html, class};
use crate::place::Page;
use capgen_diagnostic::cut_short;

/// A drawing with more names on one side is not readable; the table has everything.
const MAX_NAMES: usize = 40;
/// The longest name in the drawing, in characters. A box of 260 pixels has room for so many.
const MAX_NAME_LENGTH: usize = 30;
/// The most rows of the table. More than anyone reads; browsers need long for the layout of larger tables.
const MAX_ROWS: usize = 2_000;
/// The table of a program with many generated files stays short. Further ones are counted.
const MAX_FILES: usize = 6;

// The drawing, in pixels. Between two boxes, 240 remain for the lines.
const WIDTH: u64 = 760;
const BOX: u64 = 260;
const HEIGHT: u64 = 32;
const ROW: u64 = 44;

pub(super) fn overview(html: &mut Html, index: &Index<'_>, page: Page<'_>) {
    let calls: Vec<&Call> = index.fleet.calls.iter().filter(|call| !call.is_own()).collect();
    if calls.is_empty() {
        html.leaf("p", &[class("muted")], "No generated code of these agents was found.");
        return;
    }
    let text = "A caller is an agent or another program with code that capgen generated from the contract of the agent it calls.";
    html.leaf("p", &[], text);
    drawing(html, &calls);
    table(html, index, page, &calls, End::Both);
}

/// The ends of a call that a table shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Both,
    Caller,
    Provider,
}

/// The calls as a table. Other parts of very long tables are on the pages of the agents.
pub(super) fn table(html: &mut Html, index: &Index<'_>, page: Page<'_>, calls: &[&Call], end: End) {
    let ends: &[&'static str] = match end {
        End::Both => &["Caller", "Calls"],
        End::Caller => &["Caller"],
        End::Provider => &["Agent"],
    };
    html.element("table", &[class("stacked")], |html| {
        html.element("thead", &[], |html| {
            html.element("tr", &[], |html| {
                ends.iter()
                    .chain(&["Contract", "Generated files"])
                    .for_each(|name| html.leaf("th", &[Fixed("scope", "col")], name));
            });
        });
        html.element("tbody", &[], |html| {
            for call in calls.iter().take(MAX_ROWS) {
                html.element("tr", &[], |html| {
                    html.element("th", &[Fixed("scope", "row")], |html| match end {
                        End::Both | End::Caller => caller(html, index, page, call),
                        End::Provider => agent_link(html, index, page, &call.provider),
                    });
                    if end == End::Both {
                        html.element("td", &[Data("label", "calls")], |html| {
                            agent_link(html, index, page, &call.provider);
                        });
                    }
                    html.element("td", &[], |html| {
                        let is_current = call.is_current();
                        let name = if is_current { "level safe" } else { "level risky" };
                        html.leaf("span", &[class(name)], if is_current { "current" } else { "outdated" });
                    });
                    html.element("td", &[], |html| files(html, call));
                });
            }
        });
    });
}

fn files(html: &mut Html, call: &Call) {
    html.element("ul", &[class("files")], |html| {
        for (path, is_current) in call.files.iter().take(MAX_FILES) {
            html.element("li", &[], |html| {
                html.leaf("code", &[], path);
                html.text(if *is_current { "" } else { " (outdated)" });
            });
        }
        if let Some(more) = call.files.len().checked_sub(MAX_FILES).filter(|more| *more > 0) {
            html.leaf("li", &[class("muted")], &format!("and {}", count(more, "other file", "other files")));
        }
    });
}

/// Callers on the left, agents on the right, both sorted.
fn drawing(html: &mut Html, calls: &[&Call]) {
    let callers: BTreeSet<&Caller> = calls.iter().map(|call| &call.caller).collect();
    let providers: BTreeSet<&str> = calls.iter().map(|call| call.provider.as_str()).collect();
    let most = callers.len().max(providers.len());
    if most > MAX_NAMES {
        return;
    }
    // The shorter side is in the middle.
    let top =
        |index: usize, length: usize| ((most - length) as u64 * ROW) / 2 + index as u64 * ROW + (ROW - HEIGHT) / 2;
    let left: BTreeMap<&Caller, u64> =
        (0..).zip(&callers).map(|(i, caller)| (*caller, top(i, callers.len()))).collect();
    let right: BTreeMap<&str, u64> = (0..).zip(&providers).map(|(i, id)| (*id, top(i, providers.len()))).collect();
    let label = "Callers on the left, the agents that they call on the right. The table below has the same content.";
    let attributes = [class("graph"), Fixed("role", "img"), Label(label), Size(WIDTH, most as u64 * ROW)];
    html.element("svg", &attributes, |html| {
        for call in calls {
            let (Some(from), Some(to)) = (left.get(&call.caller), right.get(call.provider.as_str())) else { continue };
            let name = if call.is_current() { "edge" } else { "edge outdated" };
            let ends = [("x1", BOX), ("y1", from + HEIGHT / 2), ("x2", WIDTH - BOX), ("y2", to + HEIGHT / 2)];
            let [x1, y1, x2, y2] = ends.map(|(name, value)| Number(name, value));
            html.element("line", &[class(name), x1, y1, x2, y2], |_| {});
        }
        for (caller, y) in &left {
            let name = match caller {
                Caller::Agent(id) => id.as_str(),
                Caller::Folder(folder) => folder,
            };
            boxed(html, 0, *y, name);
        }
        right.iter().for_each(|(provider, y)| boxed(html, WIDTH - BOX, *y, provider));
    });
}

fn boxed(html: &mut Html, x: u64, y: u64, name: &str) {
    let size = [("x", x), ("y", y), ("width", BOX), ("height", HEIGHT), ("rx", 6)];
    html.element("rect", &size.map(|(name, value)| Number(name, value)), |_| {});
    html.element("text", &[Number("x", x + 12), Number("y", y + 21)], |html| {
        html.text(&cut_short(name, MAX_NAME_LENGTH));
    });
}
