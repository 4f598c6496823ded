//! Settings of clients and servers that the environment of a program gives.

use std::ffi::OsString;
use std::fmt;

use capgen_descriptor::Skew;
use capgen_evolve::Assume;

/// The settings that a program reads from its environment, so that a deployment can change them without building the
/// program again.
///
/// | variable | values | setting |
/// |---|---|---|
/// | `CAPGEN_SKEW` | `serve`, `refuse`, `strict` | [`skew`](Self::skew) |
/// | `CAPGEN_ASSUME` | `any-peer`, `capgen-peer` | [`assume`](Self::assume) |
///
/// Nothing reads the environment without a call of [`from_env`](Self::from_env). A setting of a builder wins over one
/// of the environment, and that over one of the fleet, as [`ServerBuilder::fleet`](crate::ServerBuilder::fleet) takes
/// it.
///
/// ```no_run
/// use capgen_call::{Handlers, Server, Settings};
///
/// let settings = Settings::from_env()?;
/// let server = Server::builder(Handlers::new("payments")).settings(&settings);
/// # Ok::<(), capgen_call::InvalidSettings>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Which callers with another contract a server serves, and the policy that a client asks for:
    /// [`ServerBuilder::skew`](crate::ServerBuilder::skew), [`ClientBuilder::skew`](crate::ClientBuilder::skew).
    pub skew: Option<Skew>,
    /// The programs that the comparisons of a server assume on both ends:
    /// [`ServerBuilder::assume`](crate::ServerBuilder::assume).
    pub assume: Option<Assume>,
}

/// Every invalid variable. Messages contain no values, since a value at the wrong place may be a secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidSettings(Vec<InvalidSetting>);

/// A variable whose value is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct InvalidSetting {
    /// The name of the variable.
    pub variable: &'static str,
    /// The problem, as a part of a sentence.
    pub problem: &'static str,
    /// What to do, as a part of a sentence.
    pub remedy: String,
}

impl Settings {
    /// Reads the variables of this process. A variable that is not set gives no setting.
    ///
    /// # Errors
    ///
    /// All variables whose values are invalid.
    pub fn from_env() -> Result<Self, InvalidSettings> {
        Self::from_variables(|name| std::env::var_os(name))
    }

    /// Reads the variables from another source, which gives the value of a name.
    ///
    /// ```
    /// use capgen_call::{Settings, Skew};
    ///
    /// let settings = Settings::from_variables(|name| (name == "CAPGEN_SKEW").then(|| "strict".into()))?;
    /// assert_eq!((settings.skew, settings.assume), (Some(Skew::Strict), None));
    /// let error = Settings::from_variables(|_| Some("always".into())).unwrap_err();
    /// assert_eq!(error.all().len(), 2);
    /// # Ok::<(), capgen_call::InvalidSettings>(())
    /// ```
    ///
    /// # Errors
    ///
    /// All variables whose values are invalid.
    pub fn from_variables(value: impl Fn(&str) -> Option<OsString>) -> Result<Self, InvalidSettings> {
        let skew = choice("CAPGEN_SKEW", &value, &Skew::ALL, Skew::name);
        let assume = choice("CAPGEN_ASSUME", &value, &Assume::ALL, Assume::name);
        match (skew, assume) {
            (Ok(skew), Ok(assume)) => Ok(Self { skew, assume }),
            (skew, assume) => Err(InvalidSettings(skew.err().into_iter().chain(assume.err()).collect())),
        }
    }
}

/// The value of a variable that has one of a few values.
fn choice<T: Copy>(
    variable: &'static str,
    value: impl Fn(&str) -> Option<OsString>,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<Option<T>, InvalidSetting> {
    let Some(value) = value(variable) else { return Ok(None) };
    if let Some(found) = all.iter().find(|known| value == name(**known)) {
        return Ok(Some(*found));
    }
    let problem = if value.is_empty() { "is empty" } else { "has an unknown value" };
    let names: Vec<String> = all.iter().map(|known| format!("`{}`", name(*known))).collect();
    Err(InvalidSetting { variable, problem, remedy: format!("set it to one of {}, or remove it", names.join(", ")) })
}

impl InvalidSettings {
    /// The invalid variables, in the order of the table of [`Settings`].
    #[must_use]
    pub fn all(&self) -> &[InvalidSetting] {
        &self.0
    }
}

impl fmt::Display for InvalidSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, problem, remedy } = self;
        write!(f, "the environment variable `{variable}` {problem}: {remedy}")
    }
}

impl fmt::Display for InvalidSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join("; "))
    }
}

impl std::error::Error for InvalidSetting {}

impl std::error::Error for InvalidSettings {}
