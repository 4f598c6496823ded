//! The kinds of clauses and their names.

/// A kind of clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Provides,
    Expects,
    Accepts,
    Requires,
    Optional,
    Denies,
    Runtime,
    Model,
    Policy,
}

impl Kind {
    /// Every kind, in the order of canonical text (decision 9).
    pub(super) const ALL: [Kind; 9] = [
        Kind::Provides,
        Kind::Expects,
        Kind::Accepts,
        Kind::Requires,
        Kind::Optional,
        Kind::Denies,
        Kind::Runtime,
        Kind::Model,
        Kind::Policy,
    ];

    /// The short name, which canonical text uses.
    pub(super) const fn short(self) -> &'static str {
        match self {
            Kind::Provides => "P",
            Kind::Expects => "E",
            Kind::Accepts => "A",
            Kind::Requires => "R",
            Kind::Optional => "O",
            Kind::Denies => "D",
            Kind::Runtime => "Rt",
            Kind::Model => "M",
            Kind::Policy => "Pol",
        }
    }

    /// The long name.
    pub(super) const fn long(self) -> &'static str {
        match self {
            Kind::Provides => "Provides",
            Kind::Expects => "Expects",
            Kind::Accepts => "Accepts",
            Kind::Requires => "Requires",
            Kind::Optional => "Optional",
            Kind::Denies => "Denies",
            Kind::Runtime => "Runtime",
            Kind::Model => "Model",
            Kind::Policy => "Policy",
        }
    }

    /// The kind with this short or long name. Names are case-sensitive (decision 3).
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.short() == name || kind.long() == name)
    }
}
