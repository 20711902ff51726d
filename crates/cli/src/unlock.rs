//! `taisai unlock`: unlocks a person when nobody else can do it at a screen. The server must be stopped.

use std::io::Write as _;
use std::sync::Arc;

use taisai_record::RecordWarning;
use taisai_server::config::GameNames;
use taisai_server::{UnlockError, unlock};
use taisai_table::PersonId;

use crate::print::BAD;
use crate::serve::HouseArgs;

#[derive(clap::Args)]
pub(crate) struct UnlockArgs {
    #[command(flatten)]
    house: HouseArgs,
    /// Number of the person
    #[arg(long, value_name = "NUMBER")]
    person: u32,
    /// Also set a one-time password, and print it
    #[arg(long)]
    new_password: bool,
}

pub(crate) fn run(args: &UnlockArgs, names: &GameNames<'_>) -> anyhow::Result<bool> {
    let mut config = args.house.file(names)?;
    args.house.place(&mut config, &|name: &str| std::env::var_os(name))?;
    let mut id = [0; 16];
    getrandom::fill(&mut id)?;
    let plan = config.plan(crate::audit::program()?, id)?.installation;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let print_password = |password: &str| {
        writeln!(anstream::stdout(), "One-time password, which is not printed again: {password}")?;
        std::io::stdout().flush()
    };
    let print_password = args.new_password.then_some(print_password);
    runtime.block_on(unlock(&plan, PersonId(args.person), print_password, Arc::new(warn))).map_err(
        |error| match error {
            UnlockError::FailedWrite(failed) => failed.into(),
            error => anyhow::Error::new(error),
        },
    )?;
    writeln!(anstream::stdout(), "Person {} is unlocked.", args.person)?;
    Ok(true)
}

#[expect(clippy::needless_pass_by_value, reason = "so the record hands it over")]
fn warn(warning: RecordWarning) {
    // Nothing is left to do if standard error is closed.
    writeln!(anstream::stderr(), "{BAD}warning:{BAD:#} {warning}").ok();
}
