//! What the House's parts look like as JSON, for the description. Something on file is described with its number among its own
//! fields.

use std::borrow::Cow;

use taisai_table::{
    Approval, ApprovalId, Claim, ClaimId, Device, DeviceId, Employee, PersonId, Receivable, ReceivableId, Time,
};
use utoipa::openapi::schema::{AnyOfBuilder, ArrayBuilder, ObjectBuilder, Ref, Schema};
use utoipa::openapi::{Object, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::view::{Numbered, Part, SignificantOnFile, TableOnFile, VoucherOnFile};

impl<I: ToSchema, T: ToSchema> PartialSchema for Numbered<I, T> {
    fn schema() -> RefOr<Schema> {
        let RefOr::T(Schema::Object(mut on_file)) = T::schema() else { unreachable!("what is on file has fields") };
        on_file.properties.insert("id".to_owned(), Ref::from_schema_name(I::name()).into());
        on_file.required.push("id".to_owned());
        RefOr::T(on_file.into())
    }
}

impl<I: ToSchema, T: ToSchema> ToSchema for Numbered<I, T> {
    fn name() -> Cow<'static, str> {
        format!("{}OnFile", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((I::name().into(), I::schema()));
        T::schemas(schemas);
    }
}

type Schemas = Vec<(String, RefOr<Schema>)>;

impl Part {
    /// What it is a list of; whatever that needs is described too.
    fn described(self, schemas: &mut Schemas) -> Ref {
        fn item<T: ToSchema>(schemas: &mut Schemas) -> Ref {
            schemas.push((T::name().into(), T::schema()));
            T::schemas(schemas);
            Ref::from_schema_name(T::name())
        }
        match self {
            Self::Approvals => item::<Numbered<ApprovalId, Approval>>(schemas),
            Self::Events => item::<SignificantOnFile>(schemas),
            Self::Claims => item::<Numbered<ClaimId, Claim>>(schemas),
            Self::Receivables => item::<Numbered<ReceivableId, Receivable>>(schemas),
            Self::Vouchers => item::<VoucherOnFile>(schemas),
            Self::Devices => item::<Numbered<DeviceId, Device>>(schemas),
            Self::People => item::<Numbered<PersonId, Employee>>(schemas),
            Self::Tables => item::<TableOnFile>(schemas),
        }
    }
}

/// A list of the House.
pub(crate) struct HouseList;

impl PartialSchema for HouseList {
    fn schema() -> RefOr<Schema> {
        let list = |part: Part| ArrayBuilder::new().items(part.described(&mut Vec::new()));
        let lists = Part::ALL.into_iter().fold(AnyOfBuilder::new(), |lists, part| lists.item(list(part)));
        lists.description(Some("A list of the House: the one that was asked for.")).into()
    }
}

impl ToSchema for HouseList {
    fn schemas(schemas: &mut Schemas) {
        for part in Part::ALL {
            part.described(schemas);
        }
    }
}

/// Parts of the House, each with the number of its last change.
pub(crate) struct HouseParts;

impl PartialSchema for HouseParts {
    fn schema() -> RefOr<Schema> {
        let part = |part: Part| {
            Object::builder()
                .property("number", u64::schema())
                .required("number")
                .property("all", ArrayBuilder::new().items(part.described(&mut Vec::new())))
                .required("all")
        };
        let parts = Part::ALL.into_iter().fold(ObjectBuilder::new(), |parts, of| parts.property(of.name(), part(of)));
        parts.description(Some("Parts of the House, each as it stands and with the number of its last change.")).into()
    }
}

impl ToSchema for HouseParts {
    fn schemas(schemas: &mut Schemas) {
        HouseList::schemas(schemas);
    }
}

/// What a screen of the house is sent, beside the answers to its commands.
#[derive(ToSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes what is written from borrowed parts")]
pub(crate) enum DeskMessage {
    /// Everything that it is shown, once.
    Snapshot {
        /// The house's time.
        time: Time,
        /// The number under which the screen sends its commands.
        source: u64,
        /// The newest number of that source that is known.
        sequence: u64,
        /// All parts of this screen.
        parts: HouseParts,
    },
    /// Parts that have changed.
    Parts(HouseParts),
}
