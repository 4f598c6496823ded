//! Strongly connected components of any graph.

/// The number of each node's strongly connected component. A component has a larger number than the components that are
/// reachable from it. The successors are those of each node, by position.
///
/// ```
/// use capgen_schema::analysis::components::components;
/// let numbers = components(&[vec![1], vec![0, 2], vec![]]);
/// assert!(numbers[0] == numbers[1] && numbers[1] > numbers[2]);
/// ```
///
/// Tarjan's algorithm with an explicit stack, because the graph of a pattern or of types can be thousands of nodes
/// deep.
pub fn components(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut search = Search {
        nodes: vec![Node { index: UNSEEN, low: UNSEEN, component: UNSEEN }; successors.len()],
        open: Vec::new(),
        seen: 0,
        closed: 0,
    };
    for root in 0..successors.len() {
        search.explore(root, successors);
    }
    search.nodes.into_iter().map(|node| node.component).collect()
}

/// The index of a node that the search has not reached. No arena has so many nodes.
const UNSEEN: usize = usize::MAX;

#[derive(Clone, Copy)]
struct Node {
    index: usize,
    /// The least index that is known to be reachable in the same component.
    low: usize,
    component: usize,
}

struct Search {
    nodes: Vec<Node>,
    /// Nodes whose component is not complete.
    open: Vec<usize>,
    seen: usize,
    closed: usize,
}

impl Search {
    fn explore(&mut self, root: usize, successors: &[Vec<usize>]) {
        let mut path: Vec<(usize, usize)> = Vec::new();
        if self.enter(root) {
            path.push((root, 0));
        }
        while let Some((node, turn)) = path.last_mut() {
            // `turn` is the next successor to visit, which replaces the return address of the recursive algorithm.
            let (node, next) = (*node, successors.get(*node).and_then(|all| all.get(*turn)).copied());
            *turn += 1;
            match next {
                Some(next) if self.enter(next) => path.push((next, 0)),
                Some(next) => self.lower(node, next),
                None => {
                    path.pop();
                    self.leave(node);
                    if let Some((parent, _)) = path.last() {
                        self.lower(*parent, node);
                    }
                }
            }
        }
    }

    /// Starts to visit `node`; returns whether it is new.
    fn enter(&mut self, node: usize) -> bool {
        match self.nodes.get_mut(node) {
            Some(entry) if entry.index == UNSEEN => {
                *entry = Node { index: self.seen, low: self.seen, component: UNSEEN };
                self.seen += 1;
                self.open.push(node);
                true
            }
            _ => false,
        }
    }

    /// Records that `to` is reachable from `from`. This has no effect if the component of `to` is complete.
    fn lower(&mut self, from: usize, to: usize) {
        let low = self.nodes.get(to).filter(|to| to.component == UNSEEN).map_or(UNSEEN, |to| to.low);
        if let Some(from) = self.nodes.get_mut(from) {
            from.low = from.low.min(low);
        }
    }

    /// All successors of `node` have been visited. If `node` is the first visited node of its component, the component
    /// is complete.
    fn leave(&mut self, node: usize) {
        if self.nodes.get(node).is_none_or(|entry| entry.low != entry.index) {
            return;
        }
        while let Some(member) = self.open.pop() {
            if let Some(entry) = self.nodes.get_mut(member) {
                entry.component = self.closed;
            }
            if member == node {
                break;
            }
        }
        self.closed += 1;
    }
}
