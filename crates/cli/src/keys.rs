//! `taisai keys`: replaces the keys of a stopped casino, on record.

use std::io::Write as _;
use std::sync::Arc;

use taisai_record::{RecordWarning, WarningSink};
use taisai_server::config::GameNames;
use taisai_server::{new_keys, rotate_keys};

use crate::print::BAD;
use crate::serve::HouseArgs;

#[derive(clap::Subcommand)]
pub(crate) enum KeysCommand {
    /// Replace the signing key; stop every node first
    ///
    /// The old key vouches for the entry that replaces it, and is trusted for old blocks only. Copy the key file to every node
    /// afterwards, and give the new public key to the auditors.
    Rotate {
        #[command(flatten)]
        house: HouseArgs,
    },
    /// Make a new key file where the old one is lost; stop every node first
    ///
    /// Drops all passwords and the keys of all devices: `taisai serve --new-secrets` makes them anew. Vouchers printed before no
    /// longer redeem by their numbers: a person reissues them.
    New {
        #[command(flatten)]
        house: HouseArgs,
        /// The casino's public key until now, ed25519:…, or a file that holds it: old blocks are trusted by it
        #[arg(long, value_name = "KEY|FILE", required = true)]
        former: Vec<String>,
    },
}

pub(crate) fn run(command: &KeysCommand, names: &GameNames<'_>) -> anyhow::Result<bool> {
    let (KeysCommand::Rotate { house } | KeysCommand::New { house, .. }) = command;
    let mut config = house.file(names)?;
    house.place(&mut config, &|name: &str| std::env::var_os(name))?;
    let mut id = [0; 16];
    getrandom::fill(&mut id)?;
    let plan = config.plan(crate::audit::program()?, id)?.installation;
    let file = plan.files.key_file.clone();
    let warn: WarningSink = Arc::new(warn);
    let mut out = anstream::stdout().lock();
    match command {
        KeysCommand::Rotate { .. } => {
            let (old, new) = rotate_keys(&plan, &warn)?;
            writeln!(out, "The casino signs as {new} from now on, and no longer as {old}.")?;
            writeln!(out, "Copy {} to every node, and give both keys to the auditors.", file.display())?;
        }
        KeysCommand::New { former, .. } => {
            let new = new_keys(&plan, crate::store::keys(former)?, &warn)?;
            writeln!(out, "The casino signs as {new} from now on. {} has its keys.", file.display())?;
            writeln!(out, "Now let everyone in again: taisai serve --new-secrets")?;
        }
    }
    Ok(true)
}

#[expect(clippy::needless_pass_by_value, reason = "so the record hands it over")]
fn warn(warning: RecordWarning) {
    // Nothing is left to do if standard error is closed.
    writeln!(anstream::stderr(), "{BAD}warning:{BAD:#} {warning}").ok();
}
