//! Strongly connected components.

/// For each node the number of its component (Tarjan's algorithm, without recursion). A component's number is larger than
/// those of the components that it leads to.
pub(super) fn components(successors: &[Vec<usize>]) -> Vec<usize> {
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

    /// Whether `node` is new.
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

    /// `to`, which is open, is reachable from `from`.
    fn lower(&mut self, from: usize, to: usize) {
        let low = self.nodes.get(to).filter(|to| to.component == UNSEEN).map_or(UNSEEN, |to| to.low);
        if let Some(from) = self.nodes.get_mut(from) {
            from.low = from.low.min(low);
        }
    }

    /// Everything behind `node` is known: where it was entered first, its component is complete.
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
