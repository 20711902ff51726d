//! The reporting tables: every column with its description. The tables and their documentation are generated from here.

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A whole number: an amount in cents, a time in milliseconds since 1970 (UTC), a count, a number of something.
    Number,
    Text,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct ReportColumn {
    /// Its name. Times end in `_at`.
    pub name: &'static str,
    pub kind: ColumnKind,
    /// Whether it may be empty.
    pub is_optional: bool,
    pub description: &'static str,
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct ReportTable {
    pub name: &'static str,
    pub description: &'static str,
    /// How many of the first columns are the key.
    pub key: usize,
    pub columns: &'static [ReportColumn],
}

impl ReportTable {
    /// The names of the columns, with commas between them.
    pub(super) fn names(&self, columns: usize) -> String {
        self.columns[..columns].iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
    }

    /// The statement that creates the table. A store may append to it.
    pub(super) fn create(&self) -> String {
        let column = |column: &ReportColumn| {
            let kind = match column.kind {
                ColumnKind::Number => "BIGINT",
                ColumnKind::Text => "TEXT",
            };
            format!("{} {kind}{}", column.name, if column.is_optional { "" } else { " NOT NULL" })
        };
        let columns: Vec<_> = self.columns.iter().map(column).collect();
        let key = self.names(self.key);
        format!("CREATE TABLE IF NOT EXISTS {} ({}, PRIMARY KEY ({key}))", self.name, columns.join(", "))
    }
}

const fn number(name: &'static str, description: &'static str) -> ReportColumn {
    ReportColumn { name, kind: ColumnKind::Number, is_optional: false, description }
}

const fn text(name: &'static str, description: &'static str) -> ReportColumn {
    ReportColumn { name, kind: ColumnKind::Text, is_optional: false, description }
}

const fn maybe_number(name: &'static str, description: &'static str) -> ReportColumn {
    ReportColumn { name, kind: ColumnKind::Number, is_optional: true, description }
}

const fn maybe_text(name: &'static str, description: &'static str) -> ReportColumn {
    ReportColumn { name, kind: ColumnKind::Text, is_optional: true, description }
}

/// Every table, in the order in which they are described.
pub const REPORT_TABLES: [&ReportTable; 15] = [
    &CHAINS,
    &TABLES_OF_HOUSE,
    &BOXES,
    &ROUNDS,
    &SETTLEMENTS,
    &WAGERS,
    &SESSIONS,
    &LEDGER_ENTRIES,
    &VOUCHERS,
    &CLAIMS,
    &RECEIVABLES,
    &EVENTS,
    &REFUSALS,
    &PEOPLE,
    &ACTS,
];

pub(super) const CHAINS: ReportTable = ReportTable {
    name: "chains",
    description: "How far each chain of the record is projected.",
    key: 1,
    columns: &[
        text("chain", "The chain: `house`, `table-1` (the dealer's side), `table-1-0` (a cluster)"),
        number("next", "The position of the next block to be projected"),
        text("hash", "The hash of the last block that is"),
        number("projected_at", "The time of the last entry or opening in it; 0 before the first"),
        number("entries", "How many entries were projected"),
    ],
};

pub(super) const TABLES_OF_HOUSE: ReportTable = ReportTable {
    name: "tables",
    description: "A table, as it is set up.",
    key: 1,
    columns: &[
        number("table_number", "The table"),
        text("game", "The game"),
        number("game_version", "Its version"),
        text("layout", "The layout"),
        number("is_training", "1 if it plays for training"),
        text("time_zone", "The profile's time zone"),
        text("day_begins", "When the gaming day begins there, like `06:00`"),
        text("registration", "Which bets are registered: `every-bet` or `winners`"),
    ],
};

pub(super) const BOXES: ReportTable = ReportTable {
    name: "boxes",
    description: "A box on a table's layout, and what the House keeps of a stake there on average.",
    key: 2,
    columns: &[
        number("table_number", "The table"),
        text("box", "The box, like `big` or `sum:9`"),
        number("ways", "How many of the 216 throws win"),
        number("edge_numerator", "The House's edge: this"),
        number("edge_denominator", "… divided by this"),
    ],
};

pub(super) const ROUNDS: ReportTable = ReportTable {
    name: "rounds",
    description: "A round, at the dealer's side.",
    key: 2,
    columns: &[
        number("table_number", "The table"),
        number("round", "The round"),
        text("gaming_day", "The gaming day in which it began, like `2027-01-15`"),
        text("shift", "The shift in which it began"),
        number("opened_at", "\"Place your Bets, please\""),
        maybe_number("closed_at", "\"No more Bets\""),
        maybe_number("over_at", "When its result was committed, or it was void"),
        maybe_number("dealer", "Who dealt"),
        maybe_number("dice_set", "The dice that were in use"),
        maybe_number("tumbler", "The tumbler that was in use"),
        maybe_text("first_dice", "The dice first committed, like `2-4-6`"),
        maybe_text("dice", "The dice by which it stands; empty if it never had any"),
        maybe_number("total_sum", "Their total"),
        maybe_text("void", "Why it is void, if it is"),
        number("changes", "How often it was corrected, voided or reinstated after it was over"),
    ],
};

pub(super) const SETTLEMENTS: ReportTable = ReportTable {
    name: "settlements",
    description: "A round at one cluster: what it came to at first, and as it stands.",
    key: 3,
    columns: &[
        number("table_number", "The table"),
        number("cluster", "The cluster"),
        number("round", "The round"),
        number("settled_at", "When it was settled"),
        text("gaming_day", "The gaming day in which that was"),
        text("shift", "The shift"),
        number("lines", "How many wagers there were"),
        number("staked", "What was staked"),
        number("first_counted", "What counted at first"),
        number("first_returned", "What was returned at first: excess, or everything if it was void"),
        number("first_paid", "What was paid at first, stakes included"),
        number("counted", "What counts as it stands"),
        number("returned", "What is returned as it stands"),
        number("paid", "What is paid as it stands"),
        maybe_number("changed_at", "When it was last settled again or voided"),
    ],
};

pub(super) const WAGERS: ReportTable = ReportTable {
    name: "wagers",
    description: "A line of a settled or void round: what one seat had on one box.",
    key: 4,
    columns: &[
        number("table_number", "The table"),
        number("cluster", "The cluster"),
        number("round", "The round"),
        number("line", "Its place among the lines of the round there, from 0"),
        number("seat", "The seat or terminal"),
        number("session", "The session"),
        text("box", "The box"),
        text("chips", "`own` or `colour`"),
        number("stake", "The stake"),
        number("counted", "What counts of it; 0 while the round is void"),
        number("returned", "What is returned: excess, or everything while the round is void"),
        number("paid", "What is paid, the stake included; 0 if it lost"),
        text("outcome", "`won`, `lost`, `lost-to-triple` or `void`"),
        maybe_text("odds", "The odds it won at, like `8` or `1/2` to one"),
        maybe_text("paragraph", "The paragraph by which it stands so"),
        number("first_returned", "What was returned when the round was first settled"),
        number("first_paid", "What was paid then"),
    ],
};

pub(super) const SESSIONS: ReportTable = ReportTable {
    name: "sessions",
    description: "From first credit to cash-out at a seat. The meters are as the session ended.",
    key: 3,
    columns: &[
        number("table_number", "The table"),
        number("cluster", "The cluster"),
        number("session", "The session"),
        number("seat", "The seat"),
        text("gaming_day", "The gaming day in which it began"),
        number("began_at", "When it began"),
        maybe_number("ended_at", "When it ended; empty while it is open"),
        maybe_number("bought_in", "What was bought in, or came from vouchers"),
        maybe_number("bet", "What was staked"),
        maybe_number("won", "What was paid for winning bets, stakes included"),
        maybe_number("returned", "What was returned"),
        maybe_number("dispensed", "What was cashed out"),
        maybe_number("rounds", "Rounds settled with a bet"),
        maybe_number("voids", "Void rounds with a bet"),
    ],
};

pub(super) const LEDGER_ENTRIES: ReportTable = ReportTable {
    name: "ledger_entries",
    description: "One leg of a transaction: all legs of one chain, position and line sum to zero. A bet is posted when its round is \
           over; until then it counts where it came from.",
    key: 4,
    columns: &[
        text("chain", "The chain"),
        number("position", "The block"),
        number("line", "The entry in it"),
        number("leg", "The leg of the transaction, from 0"),
        number("posted_at", "When"),
        text("gaming_day", "The gaming day"),
        text("kind", "What happened, like `buy-in`, `settlement`, `voucher-sold`"),
        text(
            "account",
            "Of a cluster: `seat` (credits, chips of a set, bets), `house` (its result), `cash`, `chips`, `transit`, \
             `notes` (in stackers), `variance` (of stackers). Of the \
             House: `cash`, `vouchers`, `expired`, `claims`, `receivables`, `result`, `play`, `transit`",
        ),
        number("amount", "What flowed in; negative what flowed out. Cash taken in makes `cash` negative"),
        maybe_number("table_number", "The table"),
        maybe_number("cluster", "The cluster"),
        maybe_number("seat", "The seat"),
        maybe_number("session", "The session"),
        maybe_number("round", "The round it belongs to"),
        maybe_text("voucher", "The voucher, by its keyed hash"),
        maybe_number("claim", "The claim"),
        maybe_number("receivable", "The receivable"),
    ],
};

pub(super) const VOUCHERS: ReportTable = ReportTable {
    name: "vouchers",
    description: "A voucher. Its number is never known here.",
    key: 2,
    columns: &[
        text("voucher", "The keyed hash of its number"),
        number("issued_at", "When it was issued"),
        number("digits", "The last four digits of its number"),
        number("amount", "Its amount"),
        text(
            "state",
            "`good`, `expired`, `paid`, `void`, `replaced` (issued anew), or `play` (for training: never paid)",
        ),
        number("expires_at", "From when it is no longer good"),
        text("origin", "`cage` or `seat`"),
        maybe_number("sold_by", "Who sold it at the cage"),
        maybe_number("table_number", "The table it was cashed out at"),
        maybe_number("cluster", "The cluster"),
        maybe_number("seat", "The seat"),
        maybe_number("session", "The session"),
        maybe_number("closed_at", "When it was paid, voided or issued anew"),
        maybe_text("closed_where", "`cage`, `seat`, `claim` (voided, or paid by ruling), or `reissued`"),
        maybe_number("closed_by", "By whom, where it was a person"),
        maybe_number("second", "The second person"),
        maybe_number("claim", "The claim that it became"),
        maybe_text("why", "Why it was voided, or paid after its expiry"),
        number("serial", "Its serial number"),
    ],
};

pub(super) const CLAIMS: ReportTable = ReportTable {
    name: "claims",
    description: "What a player is owed by hand.",
    key: 1,
    columns: &[
        number("claim", "The claim"),
        number("opened_at", "Since when"),
        number("amount", "How much"),
        number("set_off", "How much of it was set off against what the same session owed"),
        text(
            "reason",
            "`cash-out`, `walked-away`, `left-behind`, `correction`, `void`, `voucher-failed`, `from-film`, `returned`, `void-voucher`, `expired-voucher`",
        ),
        maybe_number("table_number", "The table"),
        maybe_number("cluster", "The cluster"),
        maybe_number("seat", "The seat"),
        maybe_number("session", "The session"),
        maybe_number("round", "The round that was corrected, voided, or walked away from"),
        maybe_text("voucher", "The voucher that it was"),
        maybe_number("paid_at", "When it was paid; empty while it is open, and where the player took it back"),
        maybe_number("paid_by", "By whom"),
        maybe_number("second", "The second person, for a large one"),
        maybe_number("taken_back_at", "When the player took it back as credits"),
    ],
};

pub(super) const RECEIVABLES: ReportTable = ReportTable {
    name: "receivables",
    description: "What a player owes after a correction or a late void.",
    key: 1,
    columns: &[
        number("receivable", "The receivable"),
        number("opened_at", "Since when"),
        number("amount", "How much it was"),
        number("table_number", "The table"),
        number("cluster", "The cluster"),
        number("seat", "The seat"),
        number("session", "The session"),
        number("round", "The round that was settled again or voided"),
        number("collected", "What was collected"),
        number("written_off", "What was written off"),
        number("set_off", "What was set off against what the same session was owed"),
        number("still_open", "What is open still"),
        number("is_waived", "1 if the House bears it, as it may not be taken back: it is set off only"),
        maybe_number("ruled_at", "When it was last ruled on"),
        maybe_number("ruled_by", "By whom"),
        maybe_text("why", "Why"),
    ],
};

pub(super) const EVENTS: ReportTable = ReportTable {
    name: "events",
    description: "Something that a supervisor or auditor may want to find: openings, voids, corrections, rulings, limits, locks, \
           logins, people, devices, and every significant event of the House, with who acknowledged it.",
    key: 4,
    columns: &[
        text("chain", "The chain"),
        number("position", "The block"),
        number("line", "The entry in it"),
        number("number", "Which event of that entry, from 0"),
        number("happened_at", "When"),
        text("gaming_day", "The gaming day"),
        text(
            "kind",
            "What, like `void`, `late-void`, `correction`, `ruling`, `login-locked`; `reported-…` what others report; \
             `acknowledge` that one of these was seen to, with its number and kind as the detail",
        ),
        maybe_number("table_number", "The table"),
        maybe_number("cluster", "The cluster"),
        maybe_number("seat", "The seat"),
        maybe_number("round", "The round"),
        maybe_number("person", "Who did it"),
        maybe_number("second", "The second person"),
        maybe_number("device", "The device"),
        maybe_number("subject", "The person it is about"),
        maybe_number("amount", "The amount"),
        maybe_text("why", "Why, in the words of who did it"),
        maybe_text("detail", "What else there is to say"),
    ],
};

pub(super) const REFUSALS: ReportTable = ReportTable {
    name: "refusals",
    description: "What was refused: one row a day, chain, source, command and reason.",
    key: 6,
    columns: &[
        text("gaming_day", "The gaming day"),
        text("chain", "The chain"),
        text("source", "`person`, `terminal`, `note-acceptor`, `chip-reader`, `tumbler` or `system`"),
        number("source_number", "The person, or the device; 0 for the system"),
        text("command", "What was asked"),
        text("reason", "The code of the refusal"),
        number("count", "How often"),
        number("last_at", "When it was last refused"),
    ],
};

pub(super) const PEOPLE: ReportTable = ReportTable {
    name: "people",
    description: "A person, as on file now.",
    key: 1,
    columns: &[
        number("person", "The person"),
        text("name", "The name"),
        text("roles", "The roles, with commas between them"),
        number("is_suspended", "1 if every right is taken away"),
        number("is_locked", "1 if failed logins have locked the person out"),
        number("changed_at", "When this last changed"),
    ],
};

pub(super) const ACTS: ReportTable = ReportTable {
    name: "acts",
    description: "What people did: one row a day, person, part, chain and command that was carried out.",
    key: 5,
    columns: &[
        text("gaming_day", "The gaming day"),
        number("person", "The person"),
        text("part", "`first`, or `second` where someone else's act was approved"),
        text("chain", "The chain"),
        text("command", "What was done"),
        number("count", "How often"),
        number("last_at", "When last"),
    ],
};
