//! Unions whose branches a property tells apart: only the branches that the property leaves have to be tried.

use serde_json::Value;

use super::literal::by_length;
use super::rule::{Checks, Rule, RuleId};

/// How much of a branch is looked at to find a tag, so that compiling stays linear in the schema.
const MAX_PARTS: usize = 4;
const MAX_REQUIRED: usize = 8;
const MAX_LITERALS: usize = 64;
/// More branches without the tag would be tried anyway.
const MAX_UNTAGGED: usize = 4;

/// The branches of an `anyOf` or `oneOf`.
#[derive(Debug)]
pub(super) struct Union {
    pub(super) branches: Box<[RuleId]>,
    tag: Option<Tag>,
}

/// A property that some branches require to be one of some strings.
#[derive(Debug)]
struct Tag {
    name: Box<str>,
    /// By value, sorted by [`by_length`]: the branches that can fit an object that has it, in order.
    branches: Box<[Tagged]>,
    /// Those that can fit an object with any other value, or none.
    others: Box<[RuleId]>,
}

#[derive(Debug)]
struct Tagged {
    value: Box<str>,
    branches: Vec<RuleId>,
}

impl Union {
    pub(super) fn new(branches: Box<[RuleId]>) -> Self {
        Self { branches, tag: None }
    }

    /// Finds the tag; `rules` are all rules.
    pub(super) fn find_tag(&mut self, rules: &[Rule]) {
        self.tag = Tag::new(&self.branches, rules);
    }

    /// The branches that can fit `value`; all others do not.
    pub(super) fn candidates(&self, value: &Value) -> &[RuleId] {
        match (&self.tag, value) {
            (Some(tag), Value::Object(members)) => tag.candidates(members.get(tag.name.as_ref())),
            _ => &self.branches,
        }
    }
}

impl Tag {
    fn new(branches: &[RuleId], rules: &[Rule]) -> Option<Self> {
        let name = common_name(branches, rules)?;
        let allowed: Vec<_> = branches.iter().map(|&branch| (branch, values(rules, branch, name))).collect();
        let is_untagged = |(branch, values): &(RuleId, Option<_>)| values.is_none().then_some(*branch);
        let others: Box<[RuleId]> = allowed.iter().filter_map(is_untagged).collect();
        if others.len() > MAX_UNTAGGED {
            return None;
        }
        let mut values: Vec<&str> = allowed.iter().filter_map(|(_, v)| *v).flatten().map(AsRef::as_ref).collect();
        values.sort_unstable_by(|a, b| by_length(a, b));
        values.dedup();
        let tagged = |value: &str| Tagged { value: value.into(), branches: Vec::new() };
        let mut tag = Self { name: name.into(), branches: values.into_iter().map(tagged).collect(), others };
        for (branch, values) in allowed {
            match values {
                None => tag.branches.iter_mut().for_each(|tagged| tagged.branches.push(branch)),
                Some(values) => values.iter().for_each(|value| tag.add(value, branch)),
            }
        }
        Some(tag)
    }

    fn add(&mut self, value: &str, branch: RuleId) {
        let index = self.branches.binary_search_by(|tagged| by_length(&tagged.value, value)).ok();
        let tagged = index.and_then(|index| self.branches.get_mut(index));
        tagged.into_iter().for_each(|tagged| tagged.branches.push(branch));
    }

    fn candidates(&self, value: Option<&Value>) -> &[RuleId] {
        let Some(Value::String(text)) = value else { return &self.others };
        let index = self.branches.binary_search_by(|tagged| by_length(&tagged.value, text)).ok();
        index.and_then(|index| self.branches.get(index)).map_or(&self.others, |tagged| &tagged.branches)
    }
}

/// The name that most branches, and at least two, have as a tag.
fn common_name<'r>(branches: &[RuleId], rules: &'r [Rule]) -> Option<&'r str> {
    let mut counts = std::collections::HashMap::<&str, usize>::new();
    let mut best = None;
    for &branch in branches {
        let names = parts(rules, branch).flat_map(required);
        let mut tags: Vec<&str> = names.filter(|name| values(rules, branch, name).is_some()).collect();
        tags.sort_unstable();
        tags.dedup();
        for name in tags {
            let count = counts.entry(name).or_default();
            *count += 1;
            if *count > best.map_or(1, |(_, most)| most) {
                best = Some((name, *count));
            }
        }
    }
    best.map(|(name, _)| name)
}

/// The strings that the property must be one of for the branch to fit.
fn values<'r>(rules: &'r [Rule], branch: RuleId, name: &str) -> Option<&'r [Box<str>]> {
    if !parts(rules, branch).flat_map(required).any(|required| required == name) {
        return None;
    }
    let declared = parts(rules, branch).filter_map(|part| part.objects.as_ref()?.find(name, 0));
    let literals = declared.filter_map(|(_, declared)| {
        let checks = checks(rules, declared.rule)?;
        checks.const_value.as_ref().or(checks.enum_values.as_ref())?.only_strings()
    });
    literals.into_iter().find(|strings| strings.len() <= MAX_LITERALS)
}

/// The branch and the members of its `allOf`, which all have to fit.
fn parts(rules: &[Rule], branch: RuleId) -> impl Iterator<Item = &Checks> {
    let all_of = checks(rules, branch).map_or(&[][..], Checks::all_of);
    std::iter::once(&branch)
        .chain(all_of)
        .take(MAX_PARTS)
        .copied()
        .collect::<Vec<_>>()
        .into_iter()
        .filter_map(|id| checks(rules, id))
}

fn required(checks: &Checks) -> impl Iterator<Item = &str> {
    let names = checks.objects.as_ref().map_or(&[][..], |objects| &objects.required);
    names.iter().take(MAX_REQUIRED).map(String::as_str)
}

fn checks(rules: &[Rule], id: RuleId) -> Option<&Checks> {
    if let Some(Rule::Checks(checks)) = rules.get(id.0 as usize) { Some(checks) } else { None }
}
