//! Each provider's requirements on a request, as data.

use cwl_engine::Provider;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SystemPlace {
    Beside,
    /// The first beside the messages, later ones among them.
    FirstBeside,
    Among,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ProviderRules {
    pub(super) provider: Provider,
    pub(super) system: SystemPlace,
    /// Other parts of the same reply must follow reasoning.
    pub(super) reasoning_leads: bool,
    /// Adjacent messages with the same role are merged: Anthropic would do so itself, and Gemini requires
    /// alternating turns around calls.
    pub(super) joins: bool,
    pub(super) results_follow: bool,
    /// Texts with only white space are refused; empty texts always are.
    pub(super) blank_refused: bool,
    pub(super) model_images: bool,
    pub(super) result_images: bool,
    pub(super) free_input: bool,
    /// Calls may have no id; results then follow the order of the calls.
    pub(super) ids_optional: bool,
    /// Spelling of call ids and tool names; `None` accepts anything.
    pub(super) spelling: Option<Spelling>,
}

/// ASCII letters, digits, `_` and `-`, with a maximum length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spelling {
    pub(super) max_id: usize,
    pub(super) max_name: usize,
    pub(super) name_starts_with_letter: bool,
}

impl Spelling {
    pub(super) fn spell_id(self, id: &str) -> String {
        fit_length(id, self.max_id)
    }

    pub(super) fn spell_name(self, name: &str) -> String {
        let fine = |first: char| first.is_ascii_alphabetic() || first == '_';
        if self.name_starts_with_letter && !name.starts_with(fine) {
            return fit_length(&format!("_{name}"), self.max_name);
        }
        fit_length(name, self.max_name)
    }
}

fn fit_length(text: &str, max: usize) -> String {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let fit: String = text.chars().map(|c| if is_fine(c) { c } else { '_' }).take(max).collect();
    if fit.is_empty() { "_".to_owned() } else { fit }
}

/// pi has the fewest rules and accepts any provider's reasoning, because it adapts messages to its providers
/// itself.
pub(super) const PI: ProviderRules = ProviderRules {
    provider: Provider::Pi,
    system: SystemPlace::Beside,
    reasoning_leads: false,
    joins: false,
    results_follow: true,
    blank_refused: false,
    model_images: false,
    result_images: true,
    free_input: false,
    ids_optional: false,
    spelling: None,
};

pub(super) const ANTHROPIC: ProviderRules = ProviderRules {
    provider: Provider::Anthropic,
    reasoning_leads: true,
    joins: true,
    blank_refused: true,
    spelling: Some(Spelling { max_id: 64, max_name: 128, name_starts_with_letter: false }),
    ..PI
};

pub(super) const OPENAI_CHAT: ProviderRules = ProviderRules {
    provider: Provider::OpenAiChat,
    system: SystemPlace::Among,
    result_images: false,
    spelling: Some(Spelling { max_id: 40, max_name: 64, name_starts_with_letter: false }),
    ..PI
};

pub(super) const OPENAI_RESPONSES: ProviderRules = ProviderRules {
    provider: Provider::OpenAiResponses,
    system: SystemPlace::FirstBeside,
    reasoning_leads: true,
    results_follow: false,
    free_input: true,
    spelling: Some(Spelling { max_id: 64, max_name: 64, name_starts_with_letter: false }),
    ..PI
};

pub(super) const GEMINI: ProviderRules = ProviderRules {
    provider: Provider::Gemini,
    reasoning_leads: true,
    joins: true,
    model_images: true,
    result_images: false,
    ids_optional: true,
    spelling: Some(Spelling { max_id: 64, max_name: 64, name_starts_with_letter: true }),
    ..PI
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_names_are_made_fit() {
        let spelling = Spelling { max_id: 4, max_name: 5, name_starts_with_letter: true };
        for (id, fit) in [("a-_1", "a-_1"), ("a|b", "a_b"), ("abcdef", "abcd"), ("é", "_"), ("", "_")] {
            assert_eq!(spelling.spell_id(id), fit, "{id}");
        }
        for (name, fit) in [("read", "read"), ("1st", "_1st"), ("", "_"), ("-", "_-"), ("toolong", "toolo")] {
            assert_eq!(spelling.spell_name(name), fit, "{name}");
        }
    }
}
