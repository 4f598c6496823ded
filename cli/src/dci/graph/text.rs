//! A graph as indented text.

use super::Item;
use crate::dci::page::Page;

pub(super) fn write(items: &[Item]) -> String {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
    for (number, item) in items.iter().enumerate() {
        if let Some(siblings) = item.parent.and_then(|parent| children.get_mut(parent)) {
            siblings.push(number);
        }
    }
    let mut page = Page::default();
    let mut waiting = vec![(0, 0)];
    while let Some((number, depth)) = waiting.pop() {
        let Some(item) = items.get(number) else { continue };
        let mut line = format!("{}{}", "  ".repeat(depth), item.title);
        let repeated = item.is_repeated.then_some("repeated, see above");
        let notes: Vec<&str> = item.notes.iter().map(String::as_str).chain(repeated).collect();
        if !notes.is_empty() {
            line.push_str(&format!("  ({})", notes.join("; ")));
        }
        page.line(&line);
        let children = children.get(number).into_iter().flatten().rev();
        waiting.extend(children.map(|child| (*child, depth + 1)));
    }
    page.text()
}
