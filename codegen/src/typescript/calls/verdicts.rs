//! The table of the verdicts on callers with older contracts.

use capgen_manifest::Side;

use super::{Expression, Item, Name, Type, method_names};
use crate::history::{KnownFinding, SideVerdict};
use crate::model::Model;
use crate::typescript::validator::helper::Helper;

/// The verdict if the comparison did not end.
const UNDECIDED: &str = "undecided";

/// The constant with the table.
const VERDICTS: &str = "call_verdicts";

/// The function that decides by the table; `None` if the table has no rows.
pub(super) fn decision(model: &Model<'_>) -> Option<Expression> {
    let table = || Expression::Name(Name::Internal(VERDICTS.to_owned()));
    (!model.verdicts.is_empty()).then(|| Helper::VerdictsOf.call(vec![table()]))
}

/// The table: by method, then by the hash of the caller's contract.
pub(in crate::typescript) fn table(model: &Model<'_>) -> Option<Item> {
    if model.verdicts.is_empty() {
        return None;
    }
    let row = |(caller, sides): (&str, [(Side, &SideVerdict); 2])| {
        let sides = sides.map(|(side, verdict)| (side.name().to_owned(), self::verdict(side, verdict)));
        (caller.to_owned(), Expression::Object(sides.into()))
    };
    let rows = |(index, method): (usize, String)| {
        let rows: Vec<_> = model.verdicts.rows(index).map(row).collect();
        (!rows.is_empty()).then_some((method, Expression::Object(rows)))
    };
    let methods = method_names(model).into_iter().enumerate().filter_map(rows).collect();
    let (name, value) = (Name::Internal(VERDICTS.to_owned()), Expression::Object(methods));
    Some(Item::Constant { name, ty: Some(Type::ANY), value })
}

/// A finding is an object, as errors have it, with the verdict if the comparison did not end. If a reviewer has
/// accepted the first one, all that may count are a list.
fn verdict(side: Side, verdict: &SideVerdict) -> Expression {
    match verdict {
        SideVerdict::Fits => Expression::string("fits"),
        SideVerdict::Undecided(found) if found.is_empty() => Expression::string(UNDECIDED),
        SideVerdict::Undecided(found) => findings(side, found, Some(UNDECIDED)),
        SideVerdict::MayFail(found) if found.is_empty() => {
            Expression::Object(vec![("side".to_owned(), Expression::string(side.name()))])
        }
        SideVerdict::MayFail(found) => findings(side, found, None),
    }
}

fn findings(side: Side, found: &[KnownFinding], verdict: Option<&str>) -> Expression {
    match found {
        [only] => finding(side, only, verdict),
        several => Expression::Array(several.iter().map(|found| finding(side, found, verdict)).collect()),
    }
}

fn finding(side: Side, found: &KnownFinding, verdict: Option<&str>) -> Expression {
    let until = found.accepted_until.map(|day| day.to_string());
    let members = [
        ("side", Some(side.name())),
        ("code", Some(found.code.as_str())),
        ("message", Some(found.message.as_str())),
        ("pointer", Some(found.pointer.as_str())),
        ("help", found.help.as_deref()),
        ("fingerprint", Some(found.fingerprint.as_str())),
        ("acceptedUntil", until.as_deref()),
        ("verdict", verdict),
    ];
    let members = members.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Expression::string(text?))));
    Expression::Object(members.collect())
}
