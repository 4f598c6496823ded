//! Detects patterns on which a backtracking engine may take exponential time, or at least cubic time.
//!
//! Such an engine tries every way in which a text can be matched. The number of ways is
//! - exponential if a loop can match the same word in two ways (`(a+)+`, `(a|a)*`, `(\w+\s?)*`);
//! - polynomial if a word can be split arbitrarily between consecutive loops (`\s*,?\s*,?\s*$`); the degree is the
//!   number of such loops.
//!
//! The criteria are those of Weber and Seidl, "On the degree of ambiguity of finite automata" (1991), checked on the
//! position graph. The analysis simplifies: assertions and look-arounds count as always true, counted repetitions with
//! many optional copies count as unbounded, and other repetitions are expanded to at most three copies.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{Ast, Parsed, SetId, Sets};
use super::positions::{Graph, Tail, graph};
use crate::analysis::components::components;

/// Maximum number of edges visited in the graphs of pairs and triples. It keeps the analysis within milliseconds.
const MAX_WORK: usize = 300_000;

/// Whether an engine may take exponential or at least cubic time for `parsed`; also `true` if a loop is too large to
/// analyse.
pub(super) fn may_blow_up(parsed: &Parsed) -> bool {
    let mut looks = Vec::new();
    parsed.ast.looks(&mut looks);
    let searched = !parsed.ast.is_anchored();
    blows_up(&parsed.ast, &parsed.sets, Tail::Cut, searched)
        || looks.iter().any(|look| {
            let tail = if look.behind { Tail::Kept } else { Tail::Cut };
            blows_up(&look.body, &parsed.sets, tail, searched)
        })
}

/// Exponential ambiguity is searched for in the whole pattern. For cubic time, the search for the start of a match
/// counts as a loop, and the end of the pattern does not matter if it can match the empty text.
fn blows_up(ast: &Ast, sets: &Sets, tail: Tail, searched: bool) -> bool {
    let whole = graph(ast, sets, Tail::Kept, false).map(|graph| Analysis::new(graph, sets).is_exponential());
    let needed = graph(ast, sets, tail, searched).map(|graph| Analysis::new(graph, sets).is_cubic());
    whole.unwrap_or(true) || needed.unwrap_or(true)
}

struct Analysis<'a> {
    graph: Graph,
    sets: &'a Sets,
    successors: Vec<Vec<usize>>,
    /// The component of each position.
    components: Vec<usize>,
    /// Cached results of [`overlap`](Self::overlap).
    overlaps: BTreeMap<Vec<SetId>, bool>,
    work: usize,
}

impl<'a> Analysis<'a> {
    fn new(graph: Graph, sets: &'a Sets) -> Self {
        let mut successors = vec![Vec::new(); graph.sets.len()];
        for (from, to) in graph.edges.keys() {
            if let Some(successors) = successors.get_mut(*from) {
                successors.push(*to);
            }
        }
        let components = components(&successors);
        Analysis { graph, sets, successors, components, overlaps: BTreeMap::new(), work: MAX_WORK }
    }

    fn component(&self, position: usize) -> usize {
        self.components.get(position).copied().unwrap_or_default()
    }

    fn successors(&self, position: usize) -> Vec<usize> {
        self.successors.get(position).cloned().unwrap_or_default()
    }

    /// The positions of each loop.
    fn loops(&self) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut loops: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (from, to) in self.graph.edges.keys() {
            if self.component(*from) == self.component(*to) {
                loops.entry(self.component(*from)).or_default().extend([*from, *to]);
            }
        }
        loops
    }

    /// Whether some loop can match the same word in two ways (Weber and Seidl's criterion EDA).
    fn is_exponential(&mut self) -> bool {
        // Two ways from one position to another inside a loop, as in `(a*)*`, are already two ways to match the same
        // word.
        let doubled =
            |((from, to), ways): (&(usize, usize), &u8)| *ways > 1 && self.component(*from) == self.component(*to);
        if self.graph.edges.iter().any(doubled) {
            return true;
        }
        let loops = self.loops();
        loops.values().any(|positions| self.is_ambiguous(positions).unwrap_or(true))
    }

    /// Whether two different paths of the loop read the same word and meet at both ends; `None` if the analysis is too
    /// large.
    ///
    /// The nodes of the product graph are pairs of positions that the same word leads to. Two such paths exist if and
    /// only if a pair of equal positions and a pair of different positions are in the same component.
    fn is_ambiguous(&mut self, positions: &BTreeSet<usize>) -> Option<bool> {
        let mut numbers = BTreeMap::new();
        let mut pairs: Vec<_> = positions.iter().map(|position| (*position, *position)).collect();
        numbers.extend(pairs.iter().copied().zip(0..));
        let mut successors: Vec<Vec<usize>> = Vec::new();
        while let Some((one, other)) = pairs.get(successors.len()).copied() {
            let mut following = Vec::new();
            for next in self.successors(one).into_iter().filter(|next| positions.contains(next)) {
                for with in self.successors(other).into_iter().filter(|with| positions.contains(with)) {
                    self.work = self.work.checked_sub(1)?;
                    if !self.overlap(&[next, with]) {
                        continue;
                    }
                    // Pairs are unordered, which halves the graph.
                    let pair = (next.min(with), next.max(with));
                    let number = *numbers.entry(pair).or_insert_with(|| {
                        pairs.push(pair);
                        pairs.len() - 1
                    });
                    following.push(number);
                }
            }
            successors.push(following);
        }
        let components = components(&successors);
        let mut of_one = BTreeSet::new();
        let mut of_two = BTreeSet::new();
        for ((one, other), component) in pairs.iter().zip(components) {
            if one == other {
                of_one.insert(component)
            } else {
                of_two.insert(component)
            };
        }
        Some(!of_one.is_disjoint(&of_two))
    }

    /// Whether three loops follow one another and a word can be split arbitrarily between each and the next (criterion
    /// IDA).
    fn is_cubic(&mut self) -> bool {
        let loops = self.loops();
        // Components are numbered from the end of the pattern, so the degrees of all later loops are known here.
        let mut degrees: BTreeMap<usize, usize> = BTreeMap::new();
        for (component, positions) in &loops {
            let reachable = self.reachable(positions);
            let mut degree = 0;
            for (later, others) in loops.iter().filter(|(later, _)| *later < component) {
                if !others.iter().any(|other| reachable.contains(other)) {
                    continue;
                }
                let behind = degrees.get(later).copied().unwrap_or_default();
                // `shares` is expensive, so it is only called if it can increase the degree.
                let shared = behind >= degree && self.shares(positions, others, &reachable);
                degree = degree.max(behind + usize::from(shared));
            }
            if degree >= 2 {
                return true;
            }
            degrees.insert(*component, degree);
        }
        false
    }

    /// All positions reachable from `from`, including themselves.
    fn reachable(&self, from: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut found = from.clone();
        let mut open: Vec<_> = from.iter().copied().collect();
        while let Some(position) = open.pop() {
            open.extend(self.successors(position).into_iter().filter(|next| found.insert(*next)));
        }
        found
    }

    /// Whether the same word leads from a position of loop `one` to itself, from a position of loop `other` to itself,
    /// and from the first position to the second. `false` if the analysis is too large.
    fn shares(&mut self, one: &BTreeSet<usize>, other: &BTreeSet<usize>, between: &BTreeSet<usize>) -> bool {
        one.iter().any(|first| other.iter().any(|second| self.shares_at(one, other, between, *first, *second)))
    }

    fn shares_at(
        &mut self,
        one: &BTreeSet<usize>,
        other: &BTreeSet<usize>,
        between: &BTreeSet<usize>,
        first: usize,
        second: usize,
    ) -> bool {
        let mut found = BTreeSet::from([(first, first, second)]);
        let mut open = vec![(first, first, second)];
        while let Some((a, b, c)) = open.pop() {
            for next_a in self.successors(a).into_iter().filter(|next| one.contains(next)) {
                for next_c in self.successors(c).into_iter().filter(|next| other.contains(next)) {
                    for next_b in self.successors(b).into_iter().filter(|next| between.contains(next)) {
                        let Some(work) = self.work.checked_sub(1) else { return false };
                        self.work = work;
                        if !self.overlap(&[next_a, next_b, next_c]) {
                            continue;
                        }
                        if (next_a, next_b, next_c) == (first, second, second) {
                            return true;
                        }
                        if found.insert((next_a, next_b, next_c)) {
                            open.push((next_a, next_b, next_c));
                        }
                    }
                }
            }
        }
        false
    }

    /// Whether one character can be matched at all these positions.
    fn overlap(&mut self, positions: &[usize]) -> bool {
        let mut ids: Vec<SetId> =
            positions.iter().filter_map(|at| self.graph.sets.get(*at).copied().flatten()).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() < 2 {
            return true;
        }
        if let Some(known) = self.overlaps.get(&ids) {
            return *known;
        }
        let mut common = ids.first().and_then(|id| self.sets.get(*id)).cloned();
        for id in ids.iter().skip(1) {
            if let (Some(common), Some(set)) = (&mut common, self.sets.get(*id)) {
                common.intersect(set);
            }
        }
        let overlap = common.is_some_and(|common| !common.ranges().is_empty());
        self.overlaps.insert(ids, overlap);
        overlap
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::may_blow_up;

    fn check(source: &str, expected: bool) {
        assert_eq!(may_blow_up(&parse(source).unwrap()), expected, "{source}");
    }

    #[test]
    fn exponential_loops_are_detected() {
        for source in [
            "(a+)+",
            "^(a+)+$",
            "(a|a)*",
            "(a*)*",
            "(\\w+\\s?)*$",
            "(a|b|ab)*c",
            "(a?b?)*",
            "(a|a?)+$",
            "(.*)*x",
            "(\\d+|\\w+)*$",
            "([a-z]+)*\\d",
            "(a{1,30}){1,30}b",
            "^(([a-z])+.)+[A-Z]([a-z])+$",
            "(?=(a+)+$)",
            "x(?<!(b+)+c)",
            "(\\d{4}|\\d{2})+-",
            "^(https?:\\/\\/)?([\\da-z.-]+)\\.([a-z.]{2,6})([\\/\\w .-]*)*\\/?$",
            "(b(?:x?|y?)c)*d",
        ] {
            check(source, true);
        }
    }

    #[test]
    fn three_consecutive_loops_are_detected() {
        for source in ["^.*a.*b.*c$", "\\s*,?\\s*$", "^\\d+\\d+\\d+$", "(a+){3}b$", "x*x*y"] {
            check(source, true);
        }
    }

    #[test]
    fn common_patterns_are_not_reported() {
        for source in [
            "",
            "^[a-z]+(-[a-z]+)*$",
            "^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$",
            "^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$",
            "^\\s+|\\s+$",
            "^\\S.*\\S$",
            "^(?=.*[A-Z])(?=.*[a-z])(?=.*\\d).{8,}$",
            "^(?:(?!foo).)*$",
            "^(\\d{1,3}\\.){3}\\d{1,3}$",
            "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$",
            "^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$",
            "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
            "^https?://[^\\s/$.?#].[^\\s]*$",
            "^\\/(?:[^/]+\\/)*[^/]*$",
            "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
            "^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2})?)?$",
            "^\"(?:[^\"\\\\]|\\\\.)*\"$",
            "^(a|b|c)+$",
            "^[A-Z][a-z]+(?: [A-Z][a-z]+)*$",
            "^#?([a-f0-9]{6}|[a-f0-9]{3})$",
            "^[\\s\\S]{1,10000}$",
            "(?:foo|bar)+",
            "\\d+",
        ] {
            check(source, false);
        }
    }

    #[test]
    fn hostile_patterns_are_analysed_in_bounded_time() {
        let start = std::time::Instant::now();
        for unit in ["(a+b)*c", "a?", "a*", "(a|b)*", "\\p{L}*", "[^a]+b", "(ab)+", "((a{9}){9})*"] {
            check(&unit.repeat(2_000), true);
            let _ = may_blow_up(&parse(&format!("({})*", unit.repeat(2_000))).unwrap());
        }
        let _ = may_blow_up(&parse(&format!("{}a{}", "(".repeat(190), "){3}".repeat(190))).unwrap());
        assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
    }
}
