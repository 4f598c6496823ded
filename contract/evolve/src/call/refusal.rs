//! Why a caller cannot call a provider.

use std::fmt;

use capgen_manifest::{InvalidProperty, Side};
use capgen_schema::Undecided;
use semver::Version;

use crate::{Finding, Witness};

/// Why a caller cannot call a provider. [`Display`](fmt::Display) writes one sentence, without a full stop.
#[derive(Clone, PartialEq, Debug)]
pub enum Refusal {
    /// The contracts are about different capabilities.
    OtherCapability {
        /// The name that the caller knows.
        caller: String,
        /// The name that the provider has.
        provider: String,
    },
    /// The release of the provider is older than the capability.
    NotOfferedYet {
        /// The release that introduced the capability.
        since: Version,
        /// The release of the provider.
        release: Version,
    },
    /// The version of the caller is below `minSchemaVersion`.
    TooOld {
        /// The version of the caller.
        version: Version,
        /// `minSchemaVersion` of the provider.
        least: Version,
    },
    /// The version of the caller is not one of `supportedVersions`.
    NotSupported {
        /// The version of the caller.
        version: Version,
        /// `supportedVersions` of the provider.
        supported: Vec<String>,
    },
    /// A payload of one side is not accepted by its receiver.
    Incompatible(Incompatibility),
    /// A descriptor has properties that are invalid in a manifest.
    InvalidDescriptor(Vec<InvalidProperty>),
}

/// Why the schemas of one side do not fit.
#[derive(Clone, PartialEq, Debug)]
pub struct Incompatibility {
    /// The side.
    pub side: Side,
    /// A payload that is sent and rejected; `None` if the analysis did not end.
    pub witness: Option<Witness>,
    /// Why the analysis did not end.
    pub undecided: Option<Undecided>,
    /// The first breaking change from the caller's to the provider's contract on this side, if it is known.
    pub finding: Option<Box<Finding>>,
}

/// Why the schemas of one side do not fit, with all changes that break it.
#[derive(Clone, PartialEq, Debug)]
pub struct SideMisfit {
    /// Why the analysis did not end.
    pub undecided: Option<Undecided>,
    /// The breaking changes from the caller's to the provider's contract on this side; empty if no single one explains
    /// the misfit.
    pub findings: Vec<Finding>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::OtherCapability { caller, provider } => {
                write!(f, "the caller calls `{caller}`, but the provider offers `{provider}`")
            }
            Refusal::NotOfferedYet { since, release } => {
                write!(f, "the provider offers the capability since release {since}, but its release is {release}")
            }
            Refusal::TooOld { version, least } => {
                write!(
                    f,
                    "the provider serves callers with version {least} or later, but the caller has version {version}"
                )
            }
            Refusal::NotSupported { version, supported } => {
                write!(
                    f,
                    "the provider serves the versions {}, but the caller has version {version}",
                    supported.join(", ")
                )
            }
            Refusal::Incompatible(incompatibility) => incompatibility.fmt(f),
            Refusal::InvalidDescriptor(problems) => {
                f.write_str("the descriptor is invalid: ")?;
                let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
                f.write_str(&texts.join("; "))
            }
        }
    }
}

impl fmt::Display for Incompatibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sender, receiver) = match self.side {
            Side::Request => ("caller", "provider"),
            Side::Response => ("provider", "caller"),
        };
        let side = self.side.name();
        match (&self.finding, &self.undecided) {
            (_, Some(undecided)) => {
                write!(
                    f,
                    "it is not known whether the {receiver} accepts every {side} of the {sender}: {}",
                    undecided.reason
                )
            }
            (Some(finding), None) => write!(f, "{side}: {} ({})", finding.message, finding.code.as_str()),
            (None, None) => write!(f, "the {receiver} rejects a {side} that the {sender} may send"),
        }
    }
}

impl std::error::Error for Refusal {}
