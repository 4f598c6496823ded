//! Small changes to payloads.

use capgen_schema::{Json, Number, Object};

use super::Random;
use super::pools::{NAMES, ODD_NAMES, TEXTS};

impl Random {
    /// Makes one change or, sometimes, two.
    pub(super) fn steps(&mut self, value: &mut Json) {
        for _ in 0..if self.one_in(6) { 2 } else { 1 } {
            self.step(value);
        }
    }

    /// Changes the value or one of the values inside it.
    fn step(&mut self, value: &mut Json) {
        let mut at = self.below(places(value));
        self.step_at(value, &mut at);
    }

    fn step_at(&mut self, value: &mut Json, at: &mut usize) -> bool {
        if *at == 0 {
            *value = self.changed(value);
            return true;
        }
        *at -= 1;
        match value {
            Json::Array(items) => items.iter_mut().any(|item| self.step_at(item, at)),
            Json::Object(members) => {
                let mut list: Vec<(String, Json)> = members.iter().cloned().collect();
                let done = list.iter_mut().any(|(_, value)| self.step_at(value, at));
                *members = list.into_iter().collect();
                done
            }
            _ => false,
        }
    }

    fn changed(&mut self, value: &Json) -> Json {
        match self.below(12) {
            0 => Json::Null,
            1 => self.value(1),
            2 => Json::Array(vec![value.clone()]),
            3 => Json::Object([(self.pick(&NAMES).to_owned(), value.clone())].into_iter().collect()),
            _ => match value {
                Json::Null => self
                    .pick(&[Json::Bool(false), Json::String("null".to_owned()), Json::Object(Object::new())].each_ref())
                    .clone(),
                Json::Bool(b) => Json::Bool(!b),
                Json::Number(number) => self.changed_number(number),
                Json::String(text) => self.changed_text(text),
                Json::Array(items) => self.changed_items(items.clone()),
                Json::Object(members) => self.changed_members(members),
            },
        }
    }

    fn changed_number(&mut self, number: &Number) -> Json {
        let float = number.as_f64();
        let by = |delta: i64| number.as_i64().and_then(|n| n.checked_add(delta)).map(|n| Json::Number(n.into()));
        let float = match self.below(8) {
            0 => return by(1).unwrap_or(Json::Null),
            1 => return by(-1).unwrap_or(Json::Null),
            2 => return Json::String(number.to_string()),
            3 => float.next_up(),
            4 => float.next_down(),
            5 => float + 0.5,
            6 => -float,
            _ => float * 1e3,
        };
        Number::from_f64(float).map_or(Json::Null, Json::Number)
    }

    fn changed_text(&mut self, text: &str) -> Json {
        let mut chars: Vec<char> = text.chars().collect();
        let at = self.below(chars.len() + 1);
        match self.below(8) {
            0 | 1 => chars.insert(at, self.pick(&['a', '😀', '1', ' ', '\n', 'é', '.', '-'])),
            2 | 3 if at < chars.len() => drop(chars.remove(at)),
            4 if at < chars.len() => {
                let c = chars[at];
                chars[at] = if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
            }
            5 => return text.parse::<Number>().map_or(Json::String(format!("{text}{text}")), Json::Number),
            6 if at < chars.len() => chars[at] = self.pick(&['0', 'z', ':', '/', '\u{0}', '\u{10ffff}', '@']),
            _ => return Json::String(self.pick(&TEXTS).to_owned()),
        }
        Json::String(chars.into_iter().collect())
    }

    fn changed_items(&mut self, mut items: Vec<Json>) -> Json {
        let at = self.below(items.len().max(1));
        match self.below(4) {
            0 if !items.is_empty() => drop(items.remove(at)),
            1 | 2 if !items.is_empty() => items.push(items[at].clone()),
            _ => items.insert(at, self.value(1)),
        }
        Json::Array(items)
    }

    fn changed_members(&mut self, members: &Object) -> Json {
        let mut list: Vec<(String, Json)> = members.iter().cloned().collect();
        let at = self.below(list.len().max(1));
        match self.below(4) {
            0 | 1 if !list.is_empty() => drop(list.remove(at)),
            2 if !list.is_empty() => {
                let name = self.renamed(&list[at].0);
                if members.get(&name).is_none() {
                    list[at].0 = name;
                }
            }
            _ => {
                let name = if self.one_in(3) { self.pick(&ODD_NAMES) } else { self.pick(&NAMES) };
                if members.get(name).is_none() {
                    let value = self.value(1);
                    list.insert(at, (name.to_owned(), value));
                }
            }
        }
        Json::Object(list.into_iter().collect())
    }

    fn renamed(&mut self, name: &str) -> String {
        match self.below(4) {
            0 => name.to_uppercase(),
            1 => format!("{name} "),
            2 => self.pick(&ODD_NAMES).to_owned(),
            _ => self.pick(&NAMES).to_owned(),
        }
    }
}

/// The number of values inside a value, including itself.
fn places(value: &Json) -> usize {
    1 + match value {
        Json::Array(items) => items.iter().map(places).sum(),
        Json::Object(members) => members.iter().map(|(_, value)| places(value)).sum(),
        _ => 0,
    }
}
