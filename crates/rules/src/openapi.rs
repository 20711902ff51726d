//! What boxes, money and dice look like as JSON, word for word as they are written down and read.

use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, Object, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::{BetBox, BoxKey, BoxKind, Dice, Face, Money};

fn one_of(texts: impl Iterator<Item = &'static str>, description: &str, example: &str) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(texts))
        .description(Some(description))
        .examples([example])
        .into()
}

impl PartialSchema for BetBox {
    fn schema() -> RefOr<Schema> {
        let description = "A betting box, by its one text form: its kind, and where the kind has several its numbers.";
        one_of(Self::all().map(Self::text), description, "small")
    }
}

impl ToSchema for BetBox {}

impl PartialSchema for BoxKey {
    fn schema() -> RefOr<Schema> {
        let several = BetBox::all().map(BetBox::text).filter(|text| text.parse::<BoxKind>().is_err());
        let description = "A kind of boxes, or one box: what a limit is for.";
        one_of(BoxKind::ALL.into_iter().map(BoxKind::text).chain(several), description, "triple")
    }
}

impl ToSchema for BoxKey {}

fn whole(description: &str) -> ObjectBuilder {
    Object::builder().schema_type(Type::Integer).description(Some(description))
}

impl PartialSchema for Money {
    fn schema() -> RefOr<Schema> {
        whole("Whole cents.").format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64))).examples([1_000]).into()
    }
}

impl ToSchema for Money {}

impl PartialSchema for Face {
    fn schema() -> RefOr<Schema> {
        whole("What a die shows.").minimum(Some(1)).maximum(Some(6)).into()
    }
}

impl ToSchema for Face {}

impl PartialSchema for Dice {
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new()
            .items(Ref::from_schema_name(Face::name()))
            .min_items(Some(3))
            .max_items(Some(3))
            .description(Some("Three dice, in any order."))
            .examples([[2, 4, 5]])
            .into()
    }
}

impl ToSchema for Dice {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Face::name().into(), Face::schema()));
    }
}
