//! Hand-written functions: all of them are in the shared module, and a file that imports nothing has those that it
//! needs.
//!
//! Their texts are TypeScript in which `«` and `»` enclose types, which JavaScript leaves out, and `PayloadError` is
//! the class of the agent's errors. A line that ends in `// <minLength pattern>` is only for files whose rules have one
//! of these keywords, and for the shared module.
//!
//! Of the helpers, only `parse` has such lines, and only lines that declare no variable of a function that encloses
//! others. This makes such files of the example fleet 4% smaller, and a bundle of them less than 1% larger. Leaving out
//! variables, such as `literal`, would shift the short names that minifiers give to all others: the copies of `parse`
//! in a bundle, which compress to little more than one of them, would differ everywhere.

use std::collections::BTreeSet;

use crate::typescript::syntax::{Expression, HandWritten, Item, Name};

macro_rules! helpers {
    ($($variant:ident $name:literal $file:literal [$($needed:ident),*]),* $(,)?) => {
        /// A helper; in the order in which a file has them, or the shared module, which has all of them.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(in crate::typescript) enum Helper { $($variant),* }

        impl Helper {
            pub(in crate::typescript) const ALL: &[Helper] = &[$(Helper::$variant),*];

            /// The name that it declares.
            pub(in crate::typescript) fn name(self) -> &'static str {
                match self { $(Helper::$variant => $name),* }
            }

            fn text(self) -> &'static str {
                match self { $(Helper::$variant => include_str!(concat!("helpers/", $file, ".ts"))),* }
            }

            /// The helpers that its text uses.
            fn needs(self) -> &'static [Helper] {
                match self { $(Helper::$variant => &[$(Helper::$needed),*]),* }
            }
        }
    };
}

// Name of the helper, name in TypeScript, file, [other helpers that it needs].
helpers! {
    Parse "parse" "parse" [Shallow, IsDict, ListOf, AddTo, Clip],
    ExplainUnion "explainUnion" "explain_union" [],
    ListOf "listOf" "list_of" [],
    AddTo "addTo" "add_to" [Clip],
    Clip "clip" "clip" [],
    Assert "assert" "assert" [],
    StandardSchema "standardSchema" "standard_schema" [Standard],
    Standard "standard" "standard" [Clip, ParamsOf],
    ParamsOf "paramsOf" "params_of" [],
    Coerced "coerced" "coerced" [],
    JsonSchema "jsonSchema" "json_schema" [],
    PositionsOf "positionsOf" "positions_of" [],
    Shallow "shallow" "shallow" [],
    IsDict "isDict" "is_dict" [],
    Own "own" "own" [],
    Sized "sized" "sized" [Shallow],
    HasOnly "hasOnly" "has_only" [],
    SpansMembers "spansMembers" "spans_members" [],
    Spans "spans" "spans" [CodePoints],
    CodePoints "codePoints" "code_points" [],
    Multiple "isMultiple" "multiple" [DecimalParts],
    DecimalParts "decimalParts" "decimal_parts" [],
    Repeated "repeated" "repeated" [Canonical, Same],
    Among "among" "among" [Same],
    Same "same" "same" [Canonical, IsDict],
    Canonical "canonical" "canonical" [IsDict],
    UuidForm "uuidForm" "uuid_form" [],
    Uuid "isUuid" "uuid" [UuidForm],
    DateTimeForm "dateTimeForm" "date_time_form" [],
    DateTime "isDateTime" "date_time" [DateTimeForm],
    EmailForm "emailForm" "email_form" [],
    Email "isEmail" "email" [EmailForm, IsIpv6],
    Uri "isUri" "uri" [UriReference],
    UriReferenceForm "uriReferenceForm" "uri_reference_form" [],
    UriReference "isUriReference" "uri_reference" [UriReferenceForm, IsIpv6],
    IsIpv6 "isIpv6" "ipv6" [],
    Date "isDate" "date" [DateTime],
    Time "isTime" "time" [DateTime],
    DurationForm "durationForm" "duration_form" [],
    Duration "isDuration" "duration" [DurationForm],
    Ipv4Form "ipv4Form" "ipv4_form" [],
    Ipv4 "isIpv4" "ipv4" [Ipv4Form],
    Ipv6 "isIpv6Address" "ipv6_address" [IsIpv6],
    HostnameForm "hostnameForm" "hostname_form" [],
    Hostname "isHostname" "hostname" [HostnameForm],
    IdnEmailForm "idnEmailForm" "idn_email_form" [],
    IdnEmail "isIdnEmail" "idn_email" [IdnEmailForm, Email],
    IriCharacter "iriCharacter" "iri_character" [],
    IriPrivate "iriPrivate" "iri_private" [],
    Iri "isIri" "iri" [IriCharacter, IriPrivate, Uri],
    UriTemplateForm "uriTemplateForm" "uri_template_form" [],
    UriTemplate "isUriTemplate" "uri_template" [UriTemplateForm],
    JsonPointer "isJsonPointer" "json_pointer" [],
    RegexToken "regexToken" "regex_token" [],
    Regex "isRegex" "regex" [RegexToken, RegexName, RegexClass],
    RegexName "regexName" "regex_name" [],
    RegexClass "isRegexClass" "regex_class" [],
    ClientOf "clientOf" "client_of" [CallOf, PeerOf, RetryOf],
    CallOf "callOf" "call_of" [
        FreshId, Defined, InvalidPayload, CancelCall, RetryOf, RequestOnce, RequestAny, InterceptCall, FailureOf,
        AttemptKey
    ],
    AttemptKey "attemptKey" "attempt_key" [FreshId, JsonOf],
    InterceptCall "interceptCall" "intercept_call" [CallOf, CheckedResult, Defined, MayRepeat],
    CheckedResult "checkedResult" "checked_result" [InvalidPayload, TypedDetails],
    RequestAny "requestAny" "request_any" [AttemptsOf, RequestOnce, PauseOf, MayRepeat],
    AttemptsOf "attemptsOf" "attempts_of" [RequestOnce, PauseOf, CancelCall],
    RequestOnce "requestOnce" "request_once" [
        AskedContract, FreshId, Defined, WriteEnvelope, ReadReply, FailureOf
    ],
    AskedContract "askedContract" "asked_contract" [],
    ReadReply "readReply" "read_reply" [ReadEnvelope, IsAuthentic, ErrorOf, InvalidPayload, IsDict],
    ErrorOf "errorOf" "error_of" [Defined, ListOf, AddTo, TypedDetails],
    TypedDetails "typedDetails" "typed_details" [Own],
    FailureOf "failureOf" "failure_of" [],
    InvalidPayload "invalidPayload" "invalid_payload" [Defined],
    CancelCall "cancelCall" "cancel_call" [Defined, FreshId, WriteEnvelope],
    RetryOf "retryOf" "retry_of" [],
    PauseOf "pauseOf" "pause_of" [],
    PeerOf "peerOf" "peer_of" [],
    MayRepeat "mayRepeat" "may_repeat" [],
    Serve "serve" "serve" [
        FreshId, Defined, WriteEnvelope, ReadEnvelope, IsAuthentic, IsEnvelope, RequireAuthorization,
        RequirementsOf, AdmitCall, AnswerCall, InterceptRequest, SkewOf, Notify, FailedWith, HasAuthorization,
        UntilEnd, WellFormed
    ],
    RequireAuthorization "requireAuthorization" "require_authorization" [HasAuthorization],
    HasAuthorization "hasAuthorization" "has_authorization" [],
    AdmitCall "admitCall" "admit_call" [
        InvalidHeader, UntilEnd, TimeOf, IsAuthentic, IdentifyPrincipal, AuthorizeCall, Notify, FailedWith, RefusedWith
    ],
    IdentifyPrincipal "identifyPrincipal" "identify_principal" [UntilEnd, Notify, RefusedWith],
    UntilEnd "untilEnd" "until_end" [],
    AuthorizeCall "authorizeCall" "authorize_call" [
        ContextOf, Forbidden, HasAuthorization, UntilEnd, Notify, Own
    ],
    RequirementsOf "requirementsOf" "requirements_of" [],
    Forbidden "forbidden" "forbidden" [RefusedWith],
    InterceptRequest "interceptRequest" "intercept_request" [
        AnswerCall, ContextOf, ResponseAnswer, ThrownFailure, FailedWith
    ],
    AnswerCall "answerCall" "answer_call" [RunCall, SkewOf, Forbidden, RefusedWith],
    RunCall "runCall" "run_call" [
        ContextOf, Defined, MayRepeat, Unreadable, ResponseAnswer, ThrownFailure, SkewOf, RefusedWith
    ],
    ContextOf "contextOf" "context_of" [],
    ResponseAnswer "responseAnswer" "response_answer" [Defined, FailedWith],
    ThrownFailure "thrownFailure" "thrown_failure" [MeantFailure, Notify, FailedWith],
    MeantFailure "meantFailure" "meant_failure" [CalledFailure, DeclaredFailure, Defined, FailedWith],
    CalledFailure "calledFailure" "called_failure" [],
    DeclaredFailure "declaredFailure" "declared_failure" [Notify, Own, Defined, FailedWith],
    Notify "notify" "notify" [ContextOf],
    TimeOf "timeOf" "time_of" [Defined, RefusedWith],
    InvalidHeader "invalidHeader" "invalid_header" [],
    SkewOf "skewOf" "skew_of" [Defined],
    RefusedWith "refusedWith" "refused_with" [FailedWith],
    FailedWith "failedWith" "failed_with" [],
    ServerOf "serverOf" "server_of" [
        Serve, RequireAuthorization, CancelsOf, ReplaysOf, KeyedAnswers, Beat, ReadEnvelope, IsAuthentic, InvalidHeader,
        TimeOf, FailedWith, RefusedWith
    ],
    CancelsOf "cancelsOf" "cancels_of" [Expiring],
    KeyedAnswers "keyedAnswers" "keyed_answers" [RunCall, Expiring, HashOf, RefusedWith],
    ReplaysOf "replaysOf" "replays_of" [Expiring, HashOf, RefusedWith],
    Beat "beat" "beat" [],
    Expiring "expiring" "expiring" [],
    HashOf "hashOf" "hash_of" [],
    Unreadable "unreadable" "unreadable" [],
    VersionRefusal "versionRefusal" "version_refusal" [],
    CandidatesOf "candidatesOf" "candidates_of" [],
    VerdictsOf "verdictsOf" "verdicts_of" [Own, Defined],
    FreshId "freshId" "fresh_id" [],
    Defined "defined" "defined" [],
    WellFormed "wellFormed" "well_formed" [Defined],
    WriteEnvelope "writeEnvelope" "write_envelope" [Defined, IsEnvelope, JsonOf],
    JsonOf "jsonOf" "json_of" [],
    ReadEnvelope "readEnvelope" "read_envelope" [IsEnvelope, MembersOf],
    IsAuthentic "isAuthentic" "is_authentic" [MembersOf],
    IsEnvelope "isEnvelope" "is_envelope" [IsDict],
    MembersOf "membersOf" "members_of" [],
}

/// The start of the comment that lists the keywords of the rules for which a line is needed.
const CONDITION: &str = " // <";

/// The class of errors in the texts.
const ERROR: &str = "PayloadError";

impl Helper {
    /// The helper with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|helper| helper.name() == name)
    }

    /// Whether verdicts call it for many values of a payload.
    fn is_in_verdicts(self) -> bool {
        let is_called_once =
            matches!(self, Helper::Parse | Helper::ExplainUnion | Helper::Assert | Helper::StandardSchema)
                || matches!(
                    self,
                    Helper::Coerced
                        | Helper::JsonSchema
                        | Helper::PositionsOf
                        | Helper::ClientOf
                        | Helper::Serve
                        | Helper::ServerOf
                )
                || matches!(self, Helper::VersionRefusal | Helper::CandidatesOf | Helper::VerdictsOf);
        !is_called_once
    }

    /// The function itself.
    pub(in crate::typescript) fn value(self) -> Expression {
        Expression::Name(Name::HandWritten(self.name()))
    }

    pub(in crate::typescript) fn call(self, arguments: Vec<Expression>) -> Expression {
        Expression::call(Name::HandWritten(self.name()), arguments)
    }

    /// Some helpers and those that they need, directly or through others.
    fn with_needed(helpers: impl Iterator<Item = Helper>) -> BTreeSet<Helper> {
        let mut needed = BTreeSet::new();
        let mut open: Vec<Helper> = helpers.collect();
        while let Some(helper) = open.pop() {
            if needed.insert(helper) {
                open.extend(helper.needs());
            }
        }
        needed
    }

    /// Its text in a file whose rules have these keywords, or else any keyword, and whose class of errors has the name
    /// `error`.
    pub(in crate::typescript) fn text_for(self, keywords: Option<&BTreeSet<&str>>, error: &str) -> HandWritten {
        // Most texts have neither.
        let (has_conditions, has_error) = (self.text().contains(CONDITION), self.text().contains(ERROR));
        let select = |line: &'static str| match has_conditions.then(|| line.split_once(CONDITION)).flatten() {
            Some((code, needed)) => {
                let is_needed = keywords.is_none_or(|keywords| {
                    needed.trim_end_matches('>').split(' ').any(|keyword| keywords.contains(keyword))
                });
                is_needed.then_some(code)
            }
            None => Some(line),
        };
        let rename = |line: &'static str| if has_error { line.replace(ERROR, error).into() } else { line.into() };
        HandWritten(self.text().lines().filter_map(select).map(rename).collect())
    }
}

/// The helpers that a file uses.
pub(in crate::typescript) struct Used {
    /// Those that the code for the contract names.
    pub(super) named: BTreeSet<Helper>,
    /// The keywords of its rules.
    pub(super) keywords: BTreeSet<&'static str>,
}

impl Used {
    /// The names of the helpers that the code for the contract names: those that verdicts call for many values of a
    /// payload, or all others.
    pub(in crate::typescript) fn names(&self, in_verdicts: bool) -> Vec<&'static str> {
        let named = self.named.iter().filter(|helper| helper.is_in_verdicts() == in_verdicts);
        named.map(|helper| helper.name()).collect()
    }

    /// The helpers, with those that they need, for a file whose class of errors has the name `error`.
    pub(in crate::typescript) fn texts(self, error: &str) -> impl Iterator<Item = Item> {
        let Self { named, keywords } = self;
        let helpers = Helper::with_needed(named.into_iter());
        helpers.into_iter().map(move |helper| Item::HandWritten(helper.text_for(Some(&keywords), error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a text uses a name. Helpers are not named in comments, strings or as properties of other objects.
    fn uses(text: &str, name: &str) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
        text.split(|c: char| !is_part(c)).any(|word| word.trim_start_matches("...").split('.').next() == Some(name))
    }

    fn code(helper: Helper) -> String {
        let is_comment =
            |line: &String| line.trim_start().starts_with(['/', '*']) && !line.trim_start().starts_with("/^");
        helper
            .text()
            .lines()
            .map(|line| line.replace(['«', '»'], ""))
            .filter(|line| !is_comment(line))
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn every_helper_declares_the_helpers_that_its_text_uses() {
        for helper in Helper::ALL {
            let text = code(*helper);
            let used = Helper::ALL.iter().filter(|other| *other != helper && uses(&text, other.name()));
            // The rules pass `among` and `repeated` to `parse`, which has variables of these names.
            let used =
                used.filter(|other| *helper != Helper::Parse || !matches!(other, Helper::Among | Helper::Repeated));
            // A message about tenants has the word `serve`.
            let used = used.filter(|other| *helper != Helper::AdmitCall || **other != Helper::Serve);
            // Servers get the functions that only some agents need as arguments, which have these names.
            let used = used.filter(|other| **other != Helper::CandidatesOf);
            // The objects of Standard Schema have a property `jsonSchema`.
            let used = used.filter(|other| *helper != Helper::StandardSchema || **other != Helper::JsonSchema);
            // It has a variable `own`, and reads the property `~standard`.
            let used =
                used.filter(|other| *helper != Helper::Coerced || !matches!(other, Helper::Own | Helper::Standard));
            let declared: BTreeSet<Helper> = helper.needs().iter().copied().collect();
            assert_eq!(used.copied().collect::<BTreeSet<_>>(), declared, "{helper:?}");
        }
    }
}
