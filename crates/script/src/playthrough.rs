//! Plays a script line by line.

use taisai_rules::{Game, Layout};
use taisai_table::{MachineEntry, Profile, Registration, Time};

use crate::balances::Balances;
use crate::error::PlayError;
use crate::expect;
use crate::installation::{CommandResult, ScriptInstallation};
use crate::narrate::{Narration, Narrator};
use crate::script::{Action, Script, ScriptLine};

/// A script while it is played.
pub struct Playthrough<'s> {
    installation: ScriptInstallation<'s>,
    narrator: Narrator,
    last_result: CommandResult,
    is_as_expected: bool,
}

/// What came of one line.
#[derive(Debug)]
pub enum LineOutcome<'p> {
    /// A comment, an empty line, or the first line, which only sets the table up.
    NoStep,
    Played {
        narration: Vec<Narration>,
        result: CommandResult,
        /// What the line added to the record.
        entries: &'p [MachineEntry],
    },
    /// The line is an expectation; `Some` says what is so instead.
    Expected(Option<String>),
}

impl<'s> Playthrough<'s> {
    /// Sets up the script's table.
    pub fn new(script: &'s Script) -> Result<Self, PlayError> {
        let installation = ScriptInstallation::new(script)?;
        Ok(Self { installation, narrator: Narrator::default(), last_result: Ok(()), is_as_expected: true })
    }

    /// Plays one line. Lines are played in order.
    pub fn play(&mut self, line: &ScriptLine) -> Result<LineOutcome<'_>, PlayError> {
        let Some(step) = &line.step else { return Ok(LineOutcome::NoStep) };
        if let Action::Expect(expectation) = &step.action {
            let found = expect::check(&self.installation, self.last_result, expectation);
            self.is_as_expected &= found.is_none();
            return Ok(LineOutcome::Expected(found));
        }
        let at_line = |source: PlayError| PlayError::Line {
            number: line.number,
            text: line.text.trim().to_owned(),
            source: Box::new(source),
        };
        let from = self.installation.engine.record.len();
        self.installation.time.0 += 1_000;
        let result = self.installation.play(step).map_err(at_line)?;
        self.last_result = result;
        let narration = self.narrator.narrate(&mut self.installation, &step.action, result, from).map_err(at_line)?;
        Ok(LineOutcome::Played { narration, result, entries: &self.installation.engine.record[from..] })
    }

    /// Whether every expectation so far was met.
    pub const fn is_as_expected(&self) -> bool {
        self.is_as_expected
    }

    pub const fn time(&self) -> Time {
        self.installation.time
    }

    pub fn game(&self) -> &'s Game {
        self.installation.game()
    }

    pub fn layout(&self) -> &'s Layout {
        self.installation.layout()
    }

    pub fn registration(&self) -> Registration {
        self.installation.registration()
    }

    pub const fn is_training(&self) -> bool {
        self.installation.is_training()
    }

    pub fn profile(&self) -> &Profile {
        self.installation.house().profile()
    }

    /// Every entry so far, of all machines in one order.
    pub fn entries(&self) -> &[MachineEntry] {
        &self.installation.engine.record
    }

    pub fn balances(&self) -> Balances {
        Balances::of(&self.installation)
    }
}
