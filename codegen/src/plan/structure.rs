//! Tests of arrays and objects.

use super::scalar;
use super::shared::{Body, Declared};
use super::test::{OtherMembers, Place, PropertyTest, Test, TextTest};
use super::verdict::{Target, Verdicts, call};
use crate::model::check::{CheckId, Property, Rest, Rules};

/// An object with more properties is checked by several functions.
pub(super) const MANY: usize = 100;
/// More names are looked up in a set.
const FEW_NAMES: usize = 5;

impl<'m> Verdicts<'m, '_> {
    /// The assertions about an array.
    pub(super) fn array(&mut self, rules: &Rules<'m>, target: &Target) -> Test<'m> {
        let mut tests = Vec::new();
        tests.extend(rules.min_items.filter(|limit| *limit > 0).map(|limit| Test::MinItems(target.place, limit)));
        tests.extend(rules.max_items.map(|limit| Test::MaxItems(target.place, limit)));
        match rules.items {
            _ if !rules.positions.is_empty() => tests.push(self.tuple(rules, target)),
            Some(items) => tests.push(self.items(items, target)),
            None if rules.is_covered() && !rules.unique_items => {}
            // Items are compared only once it is certain that they are not too deep.
            None => tests.push(self.anything(target)),
        }
        if rules.unique_items {
            tests.push(Test::HasDistinctItems(target.place));
        }
        tests.extend(rules.contains.map(|contained| self.contains(contained, target)));
        Test::all(tests)
    }

    fn contains(&mut self, contained: CheckId, target: &Target) -> Test<'m> {
        let item = Target::given(Place::Item, target.depth.below());
        match self.separately(|verdicts| verdicts.check(contained, &item)) {
            Test::Always => Test::MinItems(target.place, 1),
            Test::Never => Test::Never,
            test => self.call_of(Body::SomeItem(test), target),
        }
    }

    fn items(&mut self, items: CheckId, target: &Target) -> Test<'m> {
        let item = Target::given(Place::Item, target.depth.below());
        match self.separately(|verdicts| verdicts.check(items, &item)) {
            Test::Always => Test::Always,
            Test::Never => Test::HasNoItems(target.place),
            test => self.call_of(Body::EachItem(test), target),
        }
    }

    /// The items of an array, of which the first ones have checks of their own.
    fn tuple(&mut self, rules: &Rules<'m>, target: &Target) -> Test<'m> {
        let item = Target::given(Place::Item, target.depth.below());
        let mut of = |id: CheckId| self.separately(|verdicts| verdicts.check(id, &item));
        let positions: Vec<Test<'m>> = rules.positions.iter().map(|id| of(*id)).collect();
        let rest = match rules.items {
            Some(id) => of(id),
            None if rules.is_covered() && !rules.unique_items => Test::Always,
            None => self.separately(|verdicts| verdicts.anything(&item)),
        };
        if positions.iter().chain([&rest]).all(|test| *test == Test::Always) {
            return Test::Always;
        }
        self.call_of(Body::Tuple { positions, rest }, target)
    }

    /// A call of the function with this body, which is about [`Place::Value`].
    pub(super) fn call_of(&mut self, body: Body<'m>, target: &Target) -> Test<'m> {
        Test::Call(call(self.shared.function(target.depth.has_parameter, body), target))
    }

    /// The assertions about the members of an object.
    pub(super) fn object(&mut self, rules: &Rules<'m>, target: &Target) -> Test<'m> {
        let has_patterns = !rules.patterns.is_empty();
        let is_closed = rules.rest == Rest::Closed && !has_patterns;
        let walks = rules.rest == Rest::Open && self.limits_depth() && !rules.is_covered() && !has_patterns;
        let certain = rules.properties.iter().filter(|property| property.is_required).count();
        let is_many = rules.properties.len() > MANY;
        let is_counted = !is_many && (is_closed || walks) && certain < rules.properties.len();
        let mut tests = Vec::new();
        let least = rules.min_properties.unwrap_or(0);
        if least > 0 || rules.max_properties.is_some() {
            tests.push(Test::SpansMembers(target.place, least, rules.max_properties));
        }
        if is_counted {
            tests.push(Test::CountsMembers(target.place, certain));
        }
        tests.extend(self.undeclared(rules, target));
        tests.extend(self.dependent(rules, target));
        if is_many {
            tests.push(self.many_properties(rules, target, is_closed));
        } else {
            self.properties(&mut tests, rules, target, is_counted);
        }
        let declared = (!is_counted).then_some(rules.properties.len());
        let others = OtherMembers { place: target.place, declared, depth: None };
        if is_closed && !is_many {
            tests.push(Test::HasNoOthers(others));
        } else if walks && (is_many || rules.properties.is_empty()) {
            tests.push(self.anything(target));
        } else if walks {
            tests.push(Test::HasNoOthers(OtherMembers { depth: Some(target.depth), ..others }));
        }
        match rules.rest {
            _ if has_patterns => tests.extend(self.patterns(rules, target)),
            Rest::Checked(id) => tests.push(self.additional(rules, id, target)),
            Rest::Open | Rest::Closed => {}
        }
        if let Some(names) = &rules.names {
            let test = scalar::text(self.shared, names, Place::Name, true);
            tests.push(self.call_of(Body::EachName(test), target));
        }
        Test::all(tests)
    }

    /// That the required properties that are not declared exist.
    fn undeclared(&mut self, rules: &Rules<'m>, target: &Target) -> Vec<Test<'m>> {
        if rules.undeclared.len() <= MANY {
            return rules.undeclared.iter().map(|name| Test::Has(target.place, name)).collect();
        }
        let given = Target::given(Place::Value, target.depth);
        let parts = rules.undeclared.chunks(MANY).map(|part| {
            let exist = Test::all(part.iter().map(|name| Test::Has(Place::Value, name)));
            self.apart(exist, &given)
        });
        let calls = parts.collect();
        vec![self.joined(calls, target, Test::all)]
    }

    /// That the properties exist that other ones require.
    fn dependent(&mut self, rules: &Rules<'m>, target: &Target) -> Vec<Test<'m>> {
        let test = |place, (name, required): &'m (String, Vec<String>)| {
            let exist = Test::all(required.iter().map(|name| Test::Has(place, name)));
            Test::any([Test::Has(place, name).not(), exist])
        };
        let count: usize = rules.dependent.iter().map(|(_, required)| 1 + required.len()).sum();
        if count <= MANY {
            return rules.dependent.iter().map(|entry| test(target.place, entry)).collect();
        }
        let given = Target::given(Place::Value, target.depth);
        let calls = rules.dependent.iter().map(|entry| self.apart(test(Place::Value, entry), &given)).collect();
        vec![self.joined(calls, target, Test::all)]
    }

    /// Checks declared properties. Constants come first: they are cheap, and in a union they exclude most branches.
    fn properties(&mut self, tests: &mut Vec<Test<'m>>, rules: &Rules<'m>, target: &Target, is_counted: bool) {
        let is_constant = |property: &&Property<'m>| {
            self.validator.rules(property.check).is_some_and(|rules| rules.const_value.is_some())
        };
        let (first, then): (Vec<_>, Vec<_>) = rules.properties.iter().partition(is_constant);
        for property in first.into_iter().chain(then) {
            tests.push(self.property(property, target, is_counted));
        }
    }

    fn property(&mut self, property: &Property<'m>, target: &Target, is_counted: bool) -> Test<'m> {
        let member = target.member();
        let outer = self.shared.enter(property.name);
        let test = self.check(property.check, &member);
        self.shared.enter(outer);
        let test = PropertyTest {
            place: target.place,
            name: property.name,
            is_required: property.is_required,
            accepts_absent: property.is_required && self.accepts_absent(property.check),
            is_counted: is_counted && !property.is_required,
            member: member.place,
            test,
        };
        test.into_test()
    }

    /// Whether a check may accept an absent value in a language that reads one for a missing property.
    fn accepts_absent(&self, id: CheckId) -> bool {
        self.validator
            .rules(id)
            .is_none_or(|rules| rules.types.is_none() && rules.enum_values.is_none() && rules.const_value.is_none())
    }

    /// Checks the properties of an object in several functions. Compilers do not optimize a function that is too large.
    fn many_properties(&mut self, rules: &Rules<'m>, target: &Target, is_closed: bool) -> Test<'m> {
        let mut calls = Vec::new();
        let given = Target::given(Place::Value, target.depth);
        for chunk in rules.properties.chunks(MANY) {
            let tests: Vec<_> = self.separately(|verdicts| {
                verdicts.tests = chunk.len();
                chunk.iter().map(|property| verdicts.property(property, &given, false)).collect()
            });
            calls.push(self.apart(Test::all(tests), &given));
        }
        let properties = self.joined(calls, target, Test::all);
        if !is_closed {
            return properties;
        }
        let names = self.shared.names(names(rules));
        Test::all([properties, Test::HasOnlyNames(target.place, names)])
    }

    /// Checks the members whose names match a pattern, and then those that neither match one nor are declared.
    fn patterns(&mut self, rules: &Rules<'m>, target: &Target) -> [Test<'m>; 2] {
        let item = Target::given(Place::Item, target.depth.below());
        let mut matching = Vec::new();
        let mut of_names = Vec::new();
        for (pattern, id) in &rules.patterns {
            let of_name = Test::Text(TextTest {
                place: Place::Name,
                is_certain: true,
                format: None,
                min_length: 0,
                max_length: None,
                pattern: Some(self.shared.pattern(pattern)),
            });
            let test = self.separately(|verdicts| verdicts.check(*id, &item));
            matching.push(Test::any([of_name.clone().not(), test]));
            of_names.push(of_name);
        }
        let rest = match rules.rest {
            Rest::Closed => Test::Never,
            Rest::Open => self.separately(|verdicts| verdicts.anything(&item)),
            Rest::Checked(id) => self.separately(|verdicts| verdicts.check(id, &item)),
        };
        let declared = self.declared(rules);
        let others = Test::any(of_names.into_iter().chain([rest]));
        [(Declared::Few(Vec::new()), Test::all(matching)), (declared, others)].map(|(declared, test)| match test {
            Test::Always => Test::Always,
            test => self.call_of(Body::EachMember { declared, test }, target),
        })
    }

    fn declared(&mut self, rules: &Rules<'m>) -> Declared<'m> {
        let names = names(rules);
        if names.len() > FEW_NAMES { Declared::Set(self.shared.names(names)) } else { Declared::Few(names) }
    }

    /// Checks the undeclared members.
    fn additional(&mut self, rules: &Rules<'m>, id: CheckId, target: &Target) -> Test<'m> {
        let item = Target::given(Place::Item, target.depth.below());
        let test = self.separately(|verdicts| verdicts.check(id, &item));
        let declared = self.declared(rules);
        match test {
            Test::Always => Test::Always,
            test => self.call_of(Body::EachMember { declared, test }, target),
        }
    }
}

fn names<'m>(rules: &Rules<'m>) -> Vec<&'m str> {
    rules.properties.iter().map(|property| property.name).collect()
}
