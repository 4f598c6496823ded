//! The coarsest partition of the nodes of a graph in which nodes of one class have equal labels and children of equal
//! classes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The class of each node. `labels` and `children` have an element for each node; the order of children counts.
///
/// Classes start as the sets of equal labels and are split until the children agree. Only nodes with a child that has
/// moved are looked at again, and of the parts of a class the largest stays: so a node moves at most log₂ n times
/// (Hopcroft, *An n log n algorithm for minimizing states in a finite automaton*, 1971).
pub(super) fn classes(labels: &[&str], children: &[Vec<usize>]) -> Vec<usize> {
    let mut partition = Partition::of(labels, children);
    let mut parents: Vec<Vec<usize>> = vec![Vec::new(); labels.len()];
    for (node, below) in children.iter().enumerate() {
        for child in below {
            parents.get_mut(*child).into_iter().for_each(|parents| parents.push(node));
        }
    }
    let mut dirty: BTreeSet<usize> = (0..labels.len()).collect();
    while !dirty.is_empty() {
        let batch = std::mem::take(&mut dirty);
        for node in partition.split(&batch, children) {
            dirty.extend(parents.get(node).into_iter().flatten().copied());
        }
    }
    partition.class_of
}

struct Partition {
    class_of: Vec<usize>,
    members: Vec<Vec<usize>>,
    /// The position of each node in the list of its class.
    position: Vec<usize>,
}

impl Partition {
    fn of(labels: &[&str], children: &[Vec<usize>]) -> Self {
        let mut known: HashMap<(&str, usize), usize> = HashMap::new();
        let mut partition = Self { class_of: Vec::new(), members: Vec::new(), position: vec![0; labels.len()] };
        for (node, (label, below)) in labels.iter().zip(children).enumerate() {
            let next = known.len();
            let class = *known.entry((label, below.len())).or_insert(next);
            partition.class_of.push(class);
            partition.add(node, class);
        }
        partition
    }

    fn add(&mut self, node: usize, class: usize) {
        if self.members.len() <= class {
            self.members.resize_with(class + 1, Vec::new);
        }
        if let (Some(members), Some(position)) = (self.members.get_mut(class), self.position.get_mut(node)) {
            *position = members.len();
            members.push(node);
        }
    }

    fn class(&self, node: usize) -> usize {
        self.class_of.get(node).copied().unwrap_or_default()
    }

    fn size(&self, class: usize) -> usize {
        self.members.get(class).map_or(0, Vec::len)
    }

    fn signature(&self, node: usize, children: &[Vec<usize>]) -> Vec<usize> {
        children.get(node).into_iter().flatten().map(|child| self.class(*child)).collect()
    }

    /// Splits the classes of the nodes in `batch`, whose children may have moved, and returns the nodes that moved.
    fn split(&mut self, batch: &BTreeSet<usize>, children: &[Vec<usize>]) -> Vec<usize> {
        let mut by_class: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        // A class of one node is not split. That of the root is one, and the root has as many children as a schema has
        // properties.
        for node in batch.iter().filter(|node| self.size(self.class(**node)) > 1) {
            by_class.entry(self.class(*node)).or_default().push(*node);
        }
        // All signatures first: moving nodes changes those of others, which are looked at in the next batch.
        let mut plans: Vec<(usize, Plan)> = Vec::new();
        for (class, nodes) in by_class {
            plans.push((class, self.plan(class, &nodes, batch, children)));
        }
        plans.into_iter().flat_map(|(class, plan)| self.carry_out(class, plan)).collect()
    }

    fn plan(&self, class: usize, nodes: &[usize], batch: &BTreeSet<usize>, children: &[Vec<usize>]) -> Plan {
        let mut groups: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for node in nodes {
            groups.entry(self.signature(*node, children)).or_default().push(*node);
        }
        // The nodes outside the batch have equal signatures, because nothing below them has moved since they were
        // compared.
        let others = self.size(class) - nodes.len();
        let member = self.members.get(class).into_iter().flatten().find(|node| others > 0 && !batch.contains(node));
        let same = member.and_then(|member| groups.remove(&self.signature(*member, children))).unwrap_or_default();
        Plan { groups: groups.into_values().collect(), same, others }
    }

    /// Moves all groups but the largest to new classes.
    fn carry_out(&mut self, class: usize, Plan { mut groups, same, others }: Plan) -> Vec<usize> {
        let rest = same.len() + others;
        let largest = (0..groups.len()).max_by_key(|index| groups.get(*index).map_or(0, Vec::len));
        let is_greatest = |index: &usize| groups.get(*index).is_some_and(|group| group.len() > rest);
        if let Some(index) = largest.filter(is_greatest) {
            let largest: BTreeSet<usize> = groups.swap_remove(index).into_iter().collect();
            if rest > 0 {
                let moved: BTreeSet<usize> = groups.iter().flatten().copied().collect();
                let members = self.members.get(class).into_iter().flatten().copied();
                groups.push(members.filter(|node| !largest.contains(node) && !moved.contains(node)).collect());
            }
        }
        for group in &groups {
            let next = self.members.len();
            for node in group {
                self.remove(*node);
                self.class_of.get_mut(*node).into_iter().for_each(|class| *class = next);
                self.add(*node, next);
            }
        }
        groups.into_iter().flatten().collect()
    }

    fn remove(&mut self, node: usize) {
        let (class, at) = (self.class(node), self.position.get(node).copied().unwrap_or_default());
        let Some(members) = self.members.get_mut(class) else { return };
        if at < members.len() {
            members.swap_remove(at);
        }
        if let Some(position) = members.get(at).copied().and_then(|moved| self.position.get_mut(moved)) {
            *position = at;
        }
    }
}

/// How a class is split.
struct Plan {
    /// Nodes with equal signatures.
    groups: Vec<Vec<usize>>,
    /// Nodes of the batch with the signature of the nodes outside it.
    same: Vec<usize>,
    /// The number of nodes outside the batch.
    others: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: all classes are split again and again, until their number stays the same.
    fn by_definition(labels: &[&str], children: &[Vec<usize>]) -> Vec<usize> {
        let mut class_of = vec![0; labels.len()];
        let mut count = 1;
        loop {
            let mut known = HashMap::new();
            let next: Vec<usize> = (0..labels.len())
                .map(|node| {
                    let below: Vec<usize> = children[node].iter().map(|child| class_of[*child]).collect();
                    let new = known.len();
                    *known.entry((class_of[node], labels[node], below)).or_insert(new)
                })
                .collect();
            class_of = next;
            if known.len() == count {
                return class_of;
            }
            count = known.len();
        }
    }

    fn is_same_partition(one: &[usize], other: &[usize]) -> bool {
        (0..one.len()).all(|a| (0..one.len()).all(|b| (one[a] == one[b]) == (other[a] == other[b])))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn the_partition_is_the_coarsest_one(
            nodes in prop::collection::vec((0..3_usize, prop::collection::vec(any::<prop::sample::Index>(), 0..4)), 1..24)
        ) {
            let labels: Vec<&str> = nodes.iter().map(|(label, _)| ["a", "b", "c"][*label]).collect();
            let children: Vec<Vec<usize>> =
                nodes.iter().map(|(_, below)| below.iter().map(|child| child.index(nodes.len())).collect()).collect();
            prop_assert!(is_same_partition(&classes(&labels, &children), &by_definition(&labels, &children)));
        }
    }

    #[test]
    fn a_long_chain_and_a_long_ring_take_little_time() {
        let count = 20_000;
        let labels: Vec<&str> = (0..count).map(|node| if node == 0 { "first" } else { "other" }).collect();
        let chain: Vec<Vec<usize>> = (0..count).map(|node: usize| node.checked_sub(1).into_iter().collect()).collect();
        let ring: Vec<Vec<usize>> = (0..count).map(|node| vec![(node + 1) % count]).collect();
        for children in [chain, ring] {
            let different: BTreeSet<usize> = classes(&labels, &children).into_iter().collect();
            assert_eq!(different.len(), count);
        }
    }
}
