//! The dependencies of the selected providers (section "Transitive Dependency Resolution").

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::budget::Exceeded;
use super::coverage::NearName;
use super::scoring::{Question, Run};
use super::select::{Selection, select};
use crate::inputs::Aliases;

/// A provider in its context: with the capabilities that the path to it requires and denies.
#[derive(Clone, Debug)]
pub struct Node {
    /// The id of the candidate, for [`Corpus::candidate`](super::Corpus::candidate).
    pub id: Arc<str>,
    pub(crate) candidate: usize,
    /// The place in [`Graph::nodes`] of the node whose requirements it was selected for; `None` for those that the run
    /// selected. One candidate may have several nodes.
    pub parent: Option<usize>,
    /// 1 for the providers that the run selected.
    pub depth: u32,
    /// The places of the nodes that were selected for its requirements, in the order of the traversal.
    pub children: Vec<usize>,
    /// Whether an earlier node has the same context, so that this one is not expanded.
    pub is_repeated: bool,
    /// Its requirements that nothing was selected for.
    pub unresolved: Vec<String>,
}

/// The consumer, or the run without one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Root {
    /// The canonical tokens of the required capabilities.
    pub(crate) required: BTreeSet<String>,
    /// The canonical tokens of the consumer's `D(...)`.
    pub(crate) denied: BTreeSet<String>,
}

/// The graph of a run, in the order of the traversal: by depth, then id, then the ids of the parents.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The requirements of providers that a selected provider covers by a near name only.
    pub near_names: Vec<NearName>,
}

type Set = Rc<BTreeSet<Rc<str>>>;

/// The context of a node (section "Context-scoped dependency mutation policy"). Mode, policy, host and aliases are
/// those of the whole run.
#[derive(PartialEq, Eq, Hash)]
struct Context {
    candidate: usize,
    required: Set,
    denied: Set,
}

/// A node that waits for its turn, with what its path requires and denies.
struct Pending {
    candidate: usize,
    parent: Option<usize>,
    required: Set,
    denied: Set,
}

struct Traversal<'t, 'r> {
    run: &'t mut Run<'r>,
    aliases: &'t Aliases,
    seen: HashSet<Context>,
    /// The selection for each provider's requirements. It depends on the provider alone.
    selections: HashMap<usize, Rc<Selected>>,
    tokens: BTreeSet<Rc<str>>,
    graph: Graph,
}

/// The result of a nested resolution.
struct Selected {
    candidates: Vec<usize>,
    unresolved: Vec<String>,
}

/// Follows the requirements of selected providers, breadth first, down to `max-dependency-depth`.
///
/// # Errors
///
/// The graph is too large or too deep.
pub(crate) fn traverse(run: &mut Run, aliases: &Aliases, root: &Root, selected: &Selection) -> Result<Graph, Exceeded> {
    let most = run.policy.max_dependency_depth;
    let mut traversal = Traversal {
        run,
        aliases,
        seen: HashSet::new(),
        selections: HashMap::new(),
        tokens: BTreeSet::new(),
        graph: Graph::default(),
    };
    let required = traversal.interned(root.required.iter().map(String::as_str));
    let denied = traversal.interned(root.denied.iter().map(String::as_str));
    let mut level: Vec<Pending> = selected
        .providers()
        .map(|one| Pending {
            candidate: one.scored.candidate,
            parent: None,
            required: Rc::clone(&required),
            denied: Rc::clone(&denied),
        })
        .collect();
    let mut depth = 1;
    while !level.is_empty() && depth <= most {
        if depth > Exceeded::DEPTH {
            return Err(Exceeded::Depth);
        }
        level = traversal.level(level, depth, depth == most)?;
        depth += 1;
    }
    Ok(traversal.graph)
}

impl Traversal<'_, '_> {
    /// The canonical tokens of capabilities as a set. Equal tokens share their memory.
    fn interned<'s>(&mut self, tokens: impl Iterator<Item = &'s str>) -> Set {
        let aliases = self.aliases;
        let tokens = tokens.map(|token| {
            let token = aliases.canonical(token);
            if let Some(known) = self.tokens.get(token) {
                return Rc::clone(known);
            }
            let token: Rc<str> = token.into();
            self.tokens.insert(Rc::clone(&token));
            token
        });
        Rc::new(tokens.collect())
    }

    /// Adds the nodes of one depth, and returns those of the next.
    fn level(&mut self, mut level: Vec<Pending>, depth: u32, is_last: bool) -> Result<Vec<Pending>, Exceeded> {
        // Parents are numbered in the order of their ids, so that their numbers order them by id and then by their own
        // parents.
        let run = &*self.run;
        level.sort_by_cached_key(|one| {
            (run.candidate(one.candidate).map(|candidate| Arc::clone(&candidate.id)), one.parent)
        });
        let mut next = Vec::new();
        for pending in level {
            let number = self.graph.nodes.len();
            if number >= Exceeded::INSTANCES {
                return Err(Exceeded::Instances);
            }
            if let Some(parent) = pending.parent.and_then(|parent| self.graph.nodes.get_mut(parent)) {
                parent.children.push(number);
            }
            let Pending { candidate, parent, required, denied } = pending;
            self.run.budget.spend(required.len() + denied.len())?;
            let context = Context { candidate, required: Rc::clone(&required), denied: Rc::clone(&denied) };
            let is_repeated = !self.seen.insert(context);
            let id = self.run.candidate(candidate).map_or_else(|| "".into(), |known| Arc::clone(&known.id));
            let (children, unresolved) = (Vec::new(), Vec::new());
            let mut node = Node { id, candidate, parent, depth, children, is_repeated, unresolved };
            if !is_repeated && !is_last {
                let selected = self.nested(candidate)?;
                node.unresolved.clone_from(&selected.unresolved);
                if !selected.candidates.is_empty() {
                    let (required, denied) = self.extended(candidate, &required, &denied)?;
                    next.extend(selected.candidates.iter().map(|child| Pending {
                        candidate: *child,
                        parent: Some(number),
                        required: Rc::clone(&required),
                        denied: Rc::clone(&denied),
                    }));
                }
            }
            self.graph.nodes.push(node);
        }
        Ok(next)
    }

    /// `R_path` and `D_path`, which the children of a provider inherit.
    fn extended(&mut self, candidate: usize, required: &Set, denied: &Set) -> Result<(Set, Set), Exceeded> {
        let Some(provider) = self.run.candidate(candidate) else { return Ok((Rc::clone(required), Rc::clone(denied))) };
        let own = [provider.requires(), provider.denies()];
        self.run.budget.keep(provider.requires().len() + provider.denies().len() + required.len() + denied.len())?;
        let own = own.map(|tokens| self.interned(tokens.iter().map(String::as_str)));
        self.run.budget.spend(own.iter().map(|set| set.len()).sum::<usize>() + required.len() + denied.len())?;
        let [requires, denies] = own;
        Ok((Rc::new(&**required | &*requires), Rc::new(&**denied | &*denies)))
    }

    fn nested(&mut self, candidate: usize) -> Result<Rc<Selected>, Exceeded> {
        if let Some(known) = self.selections.get(&candidate) {
            return Ok(Rc::clone(known));
        }
        let required = self.run.candidate(candidate).map_or(&[][..], |provider| provider.requires());
        let selected = if required.is_empty() {
            Selected { candidates: Vec::new(), unresolved: Vec::new() }
        } else {
            let text = required.join(" ");
            self.run.resolving = Some(candidate);
            let selection = select(self.run, &Question { required, text: &text, without: Some(candidate) }, None)?;
            let unresolved = selection.uncovered.iter().filter_map(|index| required.get(*index)).cloned().collect();
            let candidates = selection.providers().map(|one| one.scored.candidate).collect();
            let id = self.run.candidate(candidate).map(|candidate| &candidate.id);
            let near_names = selection.providers().flat_map(|one| one.scored.near_names(required, id));
            self.graph.near_names.extend(near_names);
            Selected { candidates, unresolved }
        };
        let selected = Rc::new(selected);
        self.selections.insert(candidate, Rc::clone(&selected));
        Ok(selected)
    }
}
