//! Redaction for everything that leaves in an export.

use std::path::Path;

use cwl_inspect::figures::saturate_u32;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_redact::{Learner, People, Redactor};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::RedactionCounts;
use crate::{ApiError, ErrorCode};

/// Redacts texts. `None` passes everything through.
pub struct Cleaner(Option<Redactor>);

impl Cleaner {
    pub fn off() -> Self {
        Self(None)
    }

    /// Learns secrets from every text of a log.
    ///
    /// # Errors
    /// If a text cannot be read, or the search for secrets cannot be built.
    pub fn of_log(opened: &SessionSnapshot) -> Result<Self, ApiError> {
        Self::learn_from(opened, std::iter::empty())
    }

    /// Knows only this machine's user, for titles and folders from many sessions.
    pub(crate) fn of_machine() -> Result<Self, ApiError> {
        Self::from_learner(Learner::new(&collect_people(None)))
    }

    pub(crate) fn learn_from<'a>(
        opened: &SessionSnapshot,
        beside: impl Iterator<Item = &'a str>,
    ) -> Result<Self, ApiError> {
        let mut learner = Learner::new(&collect_people(Some(opened)));
        opened.texts.scan_blocks(|_, text| learner.text(text))?;
        beside.for_each(|text| learner.text(text));
        Self::from_learner(learner)
    }

    fn from_learner(learner: Learner) -> Result<Self, ApiError> {
        let redactor = learner.finish().map_err(|unready| {
            ApiError::new(ErrorCode::Internal, format!("nothing was given away: {unready}"))
        })?;
        Ok(Self(Some(redactor)))
    }

    pub fn clean_text(&mut self, text: &str) -> String {
        match &mut self.0 {
            Some(redactor) => redactor.text(text),
            None => text.to_owned(),
        }
    }

    pub(crate) fn all_of<T: Serialize + DeserializeOwned>(&mut self, value: &T) -> Result<T, ApiError> {
        let value = serde_json::to_value(value).map_err(ApiError::from_internal)?;
        let clean = match &mut self.0 {
            Some(redactor) => redactor.value(&value),
            None => value,
        };
        serde_json::from_value(clean).map_err(|error| {
            // A redacted value may no longer have its type. It must not leave in another form.
            ApiError::from_internal(format!("an export that lost its form when it was redacted ({error})"))
        })
    }

    pub(crate) fn redacted_counts(&self) -> Option<RedactionCounts> {
        let redactor = self.0.as_ref()?;
        let counts = redactor.counts().into_iter();
        Some(RedactionCounts {
            counts: counts
                .map(|one| (one.kind.to_owned(), saturate_u32(one.different), saturate_u32(one.places)))
                .collect(),
            left_out: saturate_u32(redactor.n_left_out()),
        })
    }

    /// Fails if a learned secret is in the finished text.
    pub(crate) fn check_clean(&self, json: &str) -> Result<(), ApiError> {
        let Some(redactor) = &self.0 else { return Ok(()) };
        match redactor.first_leak(json) {
            None => Ok(()),
            Some(kind) => Err(ApiError::new(
                ErrorCode::Internal,
                format!("no export was made: something that was told as a secret ({kind}) is also in what the page needs"),
            )
            .with_hint("look whether a password in the log is an everyday word; --no-redact leaves everything in")),
        }
    }
}

fn collect_people(opened: Option<&SessionSnapshot>) -> People {
    let said = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
    let cwd = opened.and_then(|opened| opened.log.header().cwd).map(|cwd| cwd.to_string());
    let host = std::fs::read_to_string("/etc/hostname").ok().map(|name| name.trim().to_owned());
    let folder = opened.and_then(|opened| Path::new(&opened.about.path).parent());
    let above = folder.map(|folder| folder.display().to_string());
    People {
        homes: [cwd.filter(|cwd| is_home(cwd)), above.filter(|path| is_home(path)), said("HOME")]
            .into_iter()
            .flatten()
            .collect(),
        users: [said("USER"), said("USERNAME"), said("LOGNAME")].into_iter().flatten().collect(),
        hosts: [said("HOSTNAME"), said("COMPUTERNAME"), host].into_iter().flatten().collect(),
    }
}

/// Only a path below a home names a person, unlike `/srv/app`.
fn is_home(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    ["/home/", "/users/", "\\users\\"].iter().any(|home| lower.contains(home))
}
