//! What the House's parts look like as JSON, for the description. Something on file is described with its number among its own
//! fields.

use taisai_table::Time;
use utoipa::openapi::schema::{AnyOfBuilder, ArrayBuilder, ObjectBuilder, Ref, Schema};
use utoipa::openapi::{Object, RefOr};
use utoipa::{PartialSchema, ToSchema};

use taisai_engine::{
    ApprovalOnFile, ClaimOnFile, DeviceOnFile, EmployeeOnFile, ListName, ReceivableOnFile, SignificantOnFile,
    TableOnFile, VoucherOnFile,
};

type Schemas = Vec<(String, RefOr<Schema>)>;

/// What a list is of; whatever that needs is described too.
fn described(list: ListName, schemas: &mut Schemas) -> Ref {
    fn item<T: ToSchema>(schemas: &mut Schemas) -> Ref {
        schemas.push((T::name().into(), T::schema()));
        T::schemas(schemas);
        Ref::from_schema_name(T::name())
    }
    match list {
        ListName::Approvals => item::<ApprovalOnFile>(schemas),
        ListName::Events => item::<SignificantOnFile>(schemas),
        ListName::Claims => item::<ClaimOnFile>(schemas),
        ListName::Receivables => item::<ReceivableOnFile>(schemas),
        ListName::Vouchers => item::<VoucherOnFile>(schemas),
        ListName::Devices => item::<DeviceOnFile>(schemas),
        ListName::People => item::<EmployeeOnFile>(schemas),
        ListName::Tables => item::<TableOnFile>(schemas),
    }
}

/// A list of the House.
pub(crate) struct HouseList;

impl PartialSchema for HouseList {
    fn schema() -> RefOr<Schema> {
        let list = |part: ListName| ArrayBuilder::new().items(described(part, &mut Vec::new()));
        let lists = ListName::ALL.into_iter().fold(AnyOfBuilder::new(), |lists, part| lists.item(list(part)));
        lists.description(Some("The requested list of the House.")).into()
    }
}

impl ToSchema for HouseList {
    fn schemas(schemas: &mut Schemas) {
        for part in ListName::ALL {
            described(part, schemas);
        }
    }
}

/// Parts of the House, each with the number of its last change.
pub(crate) struct HouseParts;

impl PartialSchema for HouseParts {
    fn schema() -> RefOr<Schema> {
        let part = |part: ListName| {
            Object::builder()
                .property("number", u64::schema())
                .required("number")
                .property("all", ArrayBuilder::new().items(described(part, &mut Vec::new())))
                .required("all")
        };
        let parts =
            ListName::ALL.into_iter().fold(ObjectBuilder::new(), |parts, of| parts.property(of.name(), part(of)));
        parts.description(Some("Parts of the House, each as it stands and with the number of its last change.")).into()
    }
}

impl ToSchema for HouseParts {
    fn schemas(schemas: &mut Schemas) {
        HouseList::schemas(schemas);
    }
}

/// What a screen of the casino is sent, beside the answers to its commands.
#[derive(ToSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes what is written from borrowed parts")]
pub(crate) enum ToHouseScreen {
    /// Everything that it is shown, once.
    Snapshot {
        /// The casino's time.
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
