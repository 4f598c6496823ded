//! Strings that match some patterns and no others: whether there is one, and the shortest.
//!
//! All patterns read the same characters at the same time, and a breadth-first search visits every combination of their
//! states once. Characters that no pattern distinguishes are represented by one of them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::budget::Budget;
use super::machine::{Between, Machine, Position};
use super::term::CompiledPattern;
use crate::Format;

/// The strings that some assertions allow.
#[derive(Clone, Debug, Default)]
pub(super) struct Strings {
    /// In code points.
    pub(super) min_length: u64,
    pub(super) max_length: Option<u64>,
    /// The patterns, and whether the string has to match.
    pub(super) patterns: Vec<(Rc<CompiledPattern>, bool)>,
    /// The formats that are checked after the search, because no automaton decides them.
    pub(super) formats: Vec<(Format, bool)>,
    pub(super) excluded: Vec<String>,
    /// Strings to try if no other string is found.
    pub(super) candidates: Rc<[String]>,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Search<T> {
    Found(T),
    Empty,
    Unknown(&'static str),
}

/// The longest string that is searched for, in code points. A longer one could not be read as an example, and each
/// character takes steps of the search.
const MAX_LENGTH: u64 = 1 << 16;
/// How many strings are tried if some assertions can only be checked afterwards. One of the first is usually accepted,
/// as the assertions agree in most schemas; each try is a search.
const MAX_TRIES: usize = 64;

impl Strings {
    /// The shortest string, and of several the first by the order of [`rank`]. If the search is given up: one of the
    /// candidates.
    pub(super) fn shortest(&self, budget: &mut Budget) -> Search<String> {
        if self.max_length.is_some_and(|max| max < self.min_length) {
            return Search::Empty;
        }
        if self.candidates.is_empty() {
            return self.search(budget);
        }
        // The candidates need steps, too.
        let kept = self.candidates.iter().map(|text| self.work(text)).sum::<u64>().min(budget.left() / 2);
        let mut others = Budget::new(budget.left() - kept);
        let found = self.search(&mut others);
        *budget = Budget::new(others.left() + kept);
        match found {
            Search::Unknown(gap) => self.candidate(budget).map_or(Search::Unknown(gap), Search::Found),
            found => found,
        }
    }

    fn search(&self, budget: &mut Budget) -> Search<String> {
        if self.min_length > MAX_LENGTH {
            return Search::Unknown("a string of more than 65,536 characters is required");
        }
        // A machine that is not exact accepts too much, so it helps to find texts that match, and no others.
        let machines = self.patterns.iter().filter_map(|(pattern, positive)| {
            let machine = pattern.machine.as_ref().filter(|machine| machine.is_exact || *positive)?;
            Some((machine, *positive))
        });
        let machines: Vec<(&Machine, bool)> = machines.collect();
        let is_exact = self.patterns.iter().all(|(pattern, _)| pattern.is_exact()) && self.formats.is_empty();
        let mut excluded = self.excluded.clone();
        for _ in 0..MAX_TRIES {
            let mut walk = Walk::new(self, &machines, &excluded);
            match walk.run(budget) {
                Search::Found(text) if is_exact || self.accepts(&text) => return Search::Found(text),
                Search::Found(text) => excluded.push(text),
                other => return other,
            }
        }
        Search::Unknown(self.gap())
    }

    /// The construct that an automaton does not decide.
    fn gap(&self) -> &'static str {
        match self.patterns.iter().find(|(pattern, _)| !pattern.is_exact()) {
            Some((pattern, _)) if pattern.pattern.has_lookaround() => {
                "a pattern with look-around, which too many strings have to be tried for"
            }
            Some(_) => "a pattern with very large repetitions, which too many strings have to be tried for",
            None => match self.formats.first() {
                Some((Format::Time, _)) => "the format time, which too many strings have to be tried for",
                Some((Format::IdnEmail, _)) => "the format idn-email, which too many strings have to be tried for",
                Some((Format::Regex, _)) => "the format regex, which too many strings have to be tried for",
                _ => "the format date-time, which too many strings have to be tried for",
            },
        }
    }

    /// The assertions that the search does not consider, or not exactly.
    fn accepts(&self, text: &str) -> bool {
        let opaque = self.patterns.iter().filter(|(pattern, _)| !pattern.is_exact());
        opaque.into_iter().all(|(pattern, positive)| pattern.pattern.is_match(text) == Ok(*positive))
            && self.formats.iter().all(|(format, positive)| format.accepts(text) == *positive)
    }

    /// The shortest candidate that conforms to every assertion.
    fn candidate(&self, budget: &mut Budget) -> Option<String> {
        let excluded: HashSet<&String> = self.excluded.iter().collect();
        let conforms = |text: &&String| {
            let length = text.chars().count() as u64;
            budget.spend(self.work(text))
                && length >= self.min_length
                && self.max_length.is_none_or(|max| length <= max)
                && !excluded.contains(text)
                && self.patterns.iter().all(|(pattern, positive)| pattern.pattern.is_match(text) == Ok(*positive))
                && self.formats.iter().all(|(format, positive)| format.accepts(text) == *positive)
        };
        self.candidates.iter().filter(conforms).min_by_key(|text| (text.chars().count(), text.as_str())).cloned()
    }

    /// The steps that a candidate takes.
    fn work(&self, text: &str) -> u64 {
        (1 + self.patterns.len() as u64) * (1 + text.len() as u64)
    }
}

/// Characters that no pattern distinguishes.
struct Class {
    representative: char,
    is_word: bool,
    /// For each machine and each of its sets, whether the set contains the class.
    contained: Vec<Vec<bool>>,
}

/// A state of the search.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    positions: Vec<Position>,
    after_word: bool,
    /// The place in the tree of excluded strings.
    excluded: Option<usize>,
}

struct Walk<'a> {
    strings: &'a Strings,
    machines: &'a [(&'a Machine, bool)],
    classes: Vec<Class>,
    trie: Trie,
    /// The states in the order of their discovery, with the previous one and the character between.
    visited: Vec<(State, usize, char)>,
}

impl<'a> Walk<'a> {
    fn new(strings: &'a Strings, machines: &'a [(&'a Machine, bool)], excluded: &[String]) -> Self {
        let classes = classes(machines, excluded);
        Self { strings, machines, classes, trie: Trie::new(excluded), visited: Vec::new() }
    }

    fn run(&mut self, budget: &mut Budget) -> Search<String> {
        let positions = self.machines.iter().map(|(machine, _)| machine.start()).collect();
        self.visited.push((State { positions, after_word: false, excluded: Some(0) }, 0, ' '));
        let mut layer = vec![0_usize];
        let mut known: HashSet<State> = HashSet::new();
        let mut length = 0;
        loop {
            if length >= self.strings.min_length
                && let Some(found) = layer.iter().find(|index| self.is_accepted(**index, length))
            {
                return Search::Found(self.text(*found, length));
            }
            if self.strings.max_length.is_some_and(|max| length >= max) {
                return Search::Empty;
            }
            if length > MAX_LENGTH {
                return Search::Unknown("a string of more than 65,536 characters is required");
            }
            // Below the least length, a state is of interest again at every length.
            if length < self.strings.min_length {
                known.clear();
            }
            let mut next = Vec::new();
            for index in layer {
                if !self.advance(index, length, &mut known, &mut next, budget) {
                    return Search::Unknown("the patterns have too many combinations");
                }
            }
            if next.is_empty() {
                return Search::Empty;
            }
            layer = next;
            length += 1;
        }
    }

    /// Adds the states that follow; `false` if the budget is used up.
    fn advance(
        &mut self,
        index: usize,
        length: u64,
        known: &mut HashSet<State>,
        next: &mut Vec<usize>,
        budget: &mut Budget,
    ) -> bool {
        let Some((state, ..)) = self.visited.get(index).cloned() else { return true };
        // A class determines only whether the next character is a word character, so there are two closures for all
        // classes.
        let closures = [false, true].map(|is_word| {
            let between = Between { at_start: length == 0, after_word: state.after_word, before_word: Some(is_word) };
            let machines = self.machines.iter().zip(&state.positions);
            machines.map(|((machine, _), position)| machine.closure(position, between)).collect::<Vec<_>>()
        });
        let [before_others, before_words] = &closures;
        for class in &self.classes {
            let closures = if class.is_word { before_words } else { before_others };
            let mut positions = Vec::with_capacity(self.machines.len());
            let mut is_possible = true;
            for (((machine, positive), closure), contained) in self.machines.iter().zip(closures).zip(&class.contained)
            {
                let contains = |set: usize| contained.get(set).copied().unwrap_or(false);
                let (position, visited) = machine.read(closure.as_deref(), &contains);
                if !budget.spend(visited) {
                    return false;
                }
                let is_lost = if *positive { machine.is_dead(&position, false) } else { position.matched };
                is_possible &= !is_lost;
                positions.push(position);
            }
            if !budget.spend(1) {
                return false;
            }
            let excluded = state.excluded.and_then(|node| self.trie.step(node, class.representative));
            let following = State { positions, after_word: class.is_word, excluded };
            if is_possible && known.insert(following.clone()) {
                self.visited.push((following, index, class.representative));
                next.push(self.visited.len() - 1);
            }
        }
        true
    }

    fn is_accepted(&self, index: usize, length: u64) -> bool {
        let Some((state, ..)) = self.visited.get(index) else { return false };
        let is_excluded = state.excluded.is_some_and(|node| self.trie.ends(node));
        !is_excluded
            && self.machines.iter().zip(&state.positions).all(|((machine, positive), position)| {
                machine.accepts(position, length == 0, state.after_word) == *positive
            })
    }

    fn text(&self, mut index: usize, length: u64) -> String {
        let mut characters = Vec::new();
        for _ in 0..length {
            let Some((_, previous, character)) = self.visited.get(index) else { break };
            characters.push(*character);
            index = *previous;
        }
        characters.iter().rev().collect()
    }
}

/// The excluded strings as a tree of their characters.
struct Trie {
    nodes: Vec<(BTreeMap<char, usize>, bool)>,
}

impl Trie {
    fn new(texts: &[String]) -> Self {
        let mut trie = Self { nodes: vec![Default::default()] };
        for text in texts {
            let mut node = 0;
            for character in text.chars() {
                let new = trie.nodes.len();
                let Some((children, _)) = trie.nodes.get_mut(node) else { break };
                let child = *children.entry(character).or_insert(new);
                if child == new {
                    trie.nodes.push(Default::default());
                }
                node = child;
            }
            if let Some((_, ends)) = trie.nodes.get_mut(node) {
                *ends = true;
            }
        }
        trie
    }

    fn step(&self, node: usize, character: char) -> Option<usize> {
        self.nodes.get(node)?.0.get(&character).copied()
    }

    fn ends(&self, node: usize) -> bool {
        self.nodes.get(node).is_some_and(|(_, ends)| *ends)
    }
}

/// How readable a character is: letters, digits, other printable ASCII, and the rest.
fn rank(character: char) -> (u8, char) {
    let group = match character {
        'a'..='z' => 0,
        'A'..='Z' => 1,
        '0'..='9' => 2,
        '!'..='~' => 3,
        ' ' => 4,
        // Private use, unassigned and control characters are the least readable ones, but any letter is better.
        _ if character.is_alphanumeric() => 5,
        _ if !character.is_control() => 6,
        _ => 7,
    };
    (group, character)
}

/// The classes of characters, the most readable ones first.
fn classes(machines: &[(&Machine, bool)], excluded: &[String]) -> Vec<Class> {
    const WORD: [(char, char); 4] = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
    let sets: Vec<_> = machines.iter().flat_map(|(machine, _)| &machine.sets).collect();
    let single: HashSet<char> = excluded.iter().flat_map(|text| text.chars()).collect();
    let mut starts: Vec<u32> = vec![0, 0xE000];
    let ranges = sets.iter().flat_map(|set| set.ranges().iter().map(|range| (range.start(), range.end())));
    for (start, end) in ranges.chain(WORD).chain(single.iter().map(|c| (*c, *c))).chain([(' ', ' '), ('!', '~')]) {
        starts.extend([u32::from(start), u32::from(end) + 1]);
    }
    starts.sort_unstable();
    starts.dedup();
    let mut classes: HashMap<(Vec<bool>, bool, Option<char>), char> = HashMap::new();
    for start in starts.into_iter().filter_map(char::from_u32) {
        let contained = sets.iter().map(|set| contains(set, start)).collect();
        let is_word = WORD.iter().any(|(low, high)| (*low..=*high).contains(&start));
        let key = (contained, is_word, single.contains(&start).then_some(start));
        let known = classes.entry(key).or_insert(start);
        if rank(start) < rank(*known) {
            *known = start;
        }
    }
    let mut classes: Vec<Class> = classes
        .into_iter()
        .map(|((contained, is_word, _), representative)| {
            let mut contained = contained.into_iter();
            let by_machine =
                machines.iter().map(|(machine, _)| contained.by_ref().take(machine.sets.len()).collect()).collect();
            Class { representative, is_word, contained: by_machine }
        })
        .collect();
    classes.sort_by_key(|class| rank(class.representative));
    classes
}

fn contains(set: &regex_syntax::hir::ClassUnicode, character: char) -> bool {
    let ranges = set.ranges();
    let index = ranges.partition_point(|range| range.end() < character);
    ranges.get(index).is_some_and(|range| range.start() <= character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pattern;

    fn shortest(min: u64, max: Option<u64>, patterns: &[(&str, bool)], excluded: &[&str]) -> Search<String> {
        let patterns = patterns.iter().map(|(source, positive)| {
            let pattern = Pattern::new(source).unwrap();
            (Rc::new(CompiledPattern { pattern, machine: Machine::of(source) }), *positive)
        });
        let strings = Strings {
            min_length: min,
            max_length: max,
            patterns: patterns.collect(),
            formats: Vec::new(),
            excluded: excluded.iter().map(|text| (*text).to_owned()).collect(),
            candidates: Rc::default(),
        };
        strings.shortest(&mut Budget::new(1_000_000))
    }

    #[test]
    fn shortest_strings_match_the_patterns() {
        for (min, max, patterns, excluded, expected) in [
            (0, None, vec![], vec![], ""),
            (2, None, vec![], vec![], "aa"),
            (0, None, vec![], vec!["", "a"], "b"),
            (1, Some(1), vec![], vec!["a"], "b"),
            (0, None, vec![("^x+$", true)], vec!["x"], "xx"),
            (0, None, vec![("^[0-9]+$", true), ("^[0-4]+$", false)], vec![], "5"),
            (0, None, vec![("a", true), ("b", true)], vec![], "ab"),
            (3, None, vec![("^a", true), ("b$", true)], vec![], "aab"),
            (0, None, vec![(r"\bfoo\b", true), ("^foo", false)], vec![], "!foo"),
            (0, None, vec![(r"\Ba", true)], vec![], "aa"),
            (0, None, vec![("^\u{1F600}$", true)], vec![], "\u{1F600}"),
            (0, None, vec![("^$", false)], vec![], "a"),
            (0, None, vec![("(?=a)a", true)], vec![], "a"),
        ] {
            assert_eq!(shortest(min, max, &patterns, &excluded), Search::Found(expected.to_owned()), "{patterns:?}");
        }
    }

    #[test]
    fn impossible_combinations_are_empty() {
        for (min, max, patterns, excluded) in [
            (2, Some(1), vec![], vec![]),
            (0, Some(0), vec![], vec![""]),
            (0, None, vec![("^a", true), ("^b", true)], vec![]),
            (0, None, vec![(r"^\d+$", true), ("^[0-9]+$", false)], vec![]),
            (0, None, vec![("^[ab]$", true)], vec!["a", "b"]),
            (4, None, vec![("^.{0,3}$", true)], vec![]),
            (0, None, vec![("", false)], vec![]),
            (0, None, vec![("a^", true)], vec![]),
            (0, None, vec![("^(a|b)*$", true), ("^(a*b*)*$", false)], vec![]),
        ] {
            assert_eq!(shortest(min, max, &patterns, &excluded), Search::Empty, "{patterns:?}");
        }
    }

    #[test]
    fn candidates_are_tried_if_the_search_is_given_up() {
        let source = "^(?:(?!ab|ba|aa|bb)[ab])+c{40}(?<=c)d$|^(?:(?!x)[a-z])+7$";
        let pattern = Pattern::new(source).unwrap();
        let pattern = Rc::new(CompiledPattern { pattern, machine: Machine::of(source) });
        let texts = ["xyz7", "wxyz7", "abcdefg7", "abcdefgh7", ""].map(str::to_owned);
        let strings = Strings {
            min_length: 70_000,
            patterns: vec![(pattern, true)],
            candidates: texts.map(|text| "z".repeat(70_000) + &text).into(),
            ..Strings::default()
        };
        let expected = Search::Found("z".repeat(70_000) + "abcdefg7");
        assert_eq!(strings.shortest(&mut Budget::new(10_000_000)), expected);
        assert!(matches!(strings.shortest(&mut Budget::new(100)), Search::Unknown(_)));
    }

    #[test]
    fn large_products_are_given_up() {
        let patterns = ["^(a|b)*a(a|b){12}$", "^(a|b)*b(a|b){13}$"];
        let strings = patterns.map(|source| {
            let pattern = Pattern::new(source).unwrap();
            (Rc::new(CompiledPattern { pattern, machine: Machine::of(source) }), true)
        });
        let strings = Strings { patterns: strings.to_vec(), max_length: Some(8), ..Strings::default() };
        assert!(!matches!(strings.shortest(&mut Budget::new(1_000)), Search::Found(_)));
    }
}
