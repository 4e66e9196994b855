//! The rules as data: what a secret looks like, and how certain that is.

/// What of a match is the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it: the form alone tells.
    Whole,
    /// The first group, where it is no placeholder, name of a type or piece of code.
    Value,
    /// The first group, where it looks like something that was drawn by chance.
    Random,
}

/// One rule.
#[derive(Debug)]
pub(crate) struct Rule {
    /// What the mark says.
    pub(crate) kind: &'static str,
    pub(crate) pattern: &'static str,
    pub(crate) part: Part,
    /// True where its form holds across a line that was wrapped.
    pub(crate) wraps: bool,
}

const fn form(kind: &'static str, pattern: &'static str) -> Rule {
    Rule { kind, pattern, part: Part::Whole, wraps: true }
}

const fn context(kind: &'static str, part: Part, pattern: &'static str) -> Rule {
    Rule { kind, pattern, part, wraps: false }
}

/// The names that say that what they name is a secret; the end of a longer name.
macro_rules! secret_name {
    () => {
        r"(?:pass(?:word|wd|phrase)?|passwd|pwd|secret|secrets|token|api[_-]?keys?|apikey|access[_-]?key(?:[_-]?id)?|secret[_-]?key|private[_-]?key|encryption[_-]?key|signing[_-]?key|client[_-]?secret|credentials?|auth[_-]?key|account[_-]?key|session[_-]?(?:id|key|token)|webhook[_-]?url|connection[_-]?string|database[_-]?url|dsn|otp|pin[_-]?code)"
    };
}

/// Writes a pattern around the names of secrets.
macro_rules! named {
    ($before:expr, $after:expr) => {
        concat!($before, secret_name!(), $after)
    };
}

/// Is the pattern of those names.
pub(crate) const SECRET_NAME: &str = secret_name!();

/// All rules; where two find the same, the earlier one names it.
pub(crate) const RULES: &[Rule] = &[
    // Key blocks, whole or torn off at their end.
    Rule {
        kind: "private-key",
        pattern: r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:(?s:.*?)-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|(?:(?:\\[nr]|[\s>|\x22',]){0,8}[A-Za-z0-9+/=]{16,})*(?:(?:\\[nr]|[\s>|\x22',]){0,8}[A-Za-z0-9+/=]{1,15}\b)?)",
        part: Part::Whole,
        wraps: false,
    },
    form("private-key", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    // Keys of providers of models.
    form("anthropic-key", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    form("openai-key", r"\bsk-(?:proj-|svcacct-|admin-|or-v1-|None-)?[A-Za-z0-9_-]{20,}"),
    form("google-key", r"\bAIza[0-9A-Za-z_-]{30,}"),
    form("google-key", r"\b(?:ya29\.|GOCSPX-)[0-9A-Za-z_-]{20,}"),
    form("model-key", r"\b(?:gsk_|xai-|pplx-|hf_|r8_|tvly-|nvapi-|fw_|csk-)[A-Za-z0-9_-]{20,}"),
    // Keys of hosts of code and packages.
    form("github-token", r"\bgh[pousr]_[A-Za-z0-9]{20,}"),
    form("github-token", r"\bgithub_pat_[A-Za-z0-9_]{20,}"),
    form("gitlab-token", r"\bgl(?:pat|dt|rt|rtr|soat|ft|cbt|ptt|oas|imt|agent)-[A-Za-z0-9_.-]{16,}"),
    form("npm-token", r"\bnpm_[A-Za-z0-9]{30,}"),
    form("pypi-token", r"\bpypi-[A-Za-z0-9_-]{40,}"),
    form("cargo-token", r"\bcio[A-Za-z0-9]{32}\b"),
    form("docker-token", r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    // Clouds and services.
    form("aws-key", r"\b(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA|ANVA)[A-Z0-9]{16}\b"),
    form("slack-token", r"\b(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}"),
    form("slack-token", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}"),
    form("discord-token", r"discord(?:app)?\.com/api/webhooks/[0-9]+/[A-Za-z0-9_-]{30,}"),
    form("telegram-token", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}"),
    form("stripe-key", r"\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}"),
    form("sendgrid-key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    form("shop-token", r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    form(
        "cloud-token",
        r"\b(?:do[opr]_v1_[a-f0-9]{40,}|dapi[a-f0-9]{32}|hvs\.[A-Za-z0-9_-]{20,}|dp\.(?:pt|st|ct)\.[A-Za-z0-9]{20,}|lin_api_[A-Za-z0-9]{20,}|ntn_[A-Za-z0-9]{20,}|sntrys_[A-Za-z0-9_=-]{30,}|glsa_[A-Za-z0-9_]{20,}|figd_[A-Za-z0-9_-]{20,}|ops_eyJ[A-Za-z0-9_-]{20,}|tskey-[A-Za-z0-9-]{16,})",
    ),
    form("jwt", r"\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*"),
    // Headers.
    context(
        "authorization",
        Part::Value,
        r#"(?i)\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?((?:(?:bearer|basic|token|digest|negotiate|apikey)\s+)?[^\s"'\\,;]{6,})"#,
    ),
    context("authorization", Part::Value, r"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{12,})"),
    context("cookie", Part::Value, r#"(?i)\b(?:set-)?cookie["']?\s*:\s*["']?([^\r\n"'\\]{4,})"#),
    context(
        "authorization",
        Part::Value,
        r#"(?i)\bx-(?:api-key|auth-token|amz-security-token|goog-api-key|vault-token|access-token)["']?\s*[:=]\s*["']?([^\s"'\\,;]{6,})"#,
    ),
    // Addresses.
    context(
        "password",
        Part::Value,
        r#"(?i)\b[a-z][a-z0-9+.-]{1,20}://([^\s/@:"'<>{}]{0,100}:[^\s/@"'<>]{1,200})@"#,
    ),
    context(
        "signature",
        Part::Value,
        r"(?i)[?&](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|access_token|api_key|apikey|key|token|code|client_secret)=([A-Za-z0-9%._~+/=-]{12,})",
    ),
    // Names beside values: JSON and code with quotes, lines of an environment, command lines, YAML.
    context(
        "secret",
        Part::Value,
        named!(
            r#"(?i)[a-z0-9_.-]{0,40}"#,
            r#"\\?["']?\s{0,4}(?::|=>|=|:=)\s{0,4}\\?["']([^"'\r\n]{3,400}?)\\?["']"#
        ),
    ),
    context(
        "secret",
        Part::Value,
        named!(
            r"(?im)(?:^|[\s;&(])(?:export\s+|set\s+|setenv\s+|env\s+|-e\s+)?[A-Z0-9_]{0,60}",
            r#"=([^\s"'`$;&|<>]{6,400})"#
        ),
    ),
    context(
        "secret",
        Part::Value,
        named!(r"(?i)--?[a-z0-9-]{0,30}", r#"(?:\s+|=)["']?([^\s"'$-][^\s"']{5,400})"#),
    ),
    context(
        "secret",
        Part::Random,
        named!(r"(?i)\b[a-z0-9_.-]{0,40}", r#"\s{0,3}[:=]\s{0,3}([A-Za-z0-9+/_=-]{12,400})(?:[\s,;"']|\z)"#),
    ),
    context(
        "secret",
        Part::Random,
        named!(
            r"(?i)\b[a-z0-9_.-]{0,40}",
            r#"(?:\s+(?:is|was|of|for))?\s*[:=]?\s+["'`]?([A-Za-z0-9+/_=.!@#%^&*-]{12,400})(?:[\s,;"'`]|\z)"#
        ),
    ),
    // Azure and the like: pieces of a connection string.
    context(
        "secret",
        Part::Value,
        r"(?i)\b(?:AccountKey|SharedAccessKey|SharedAccessSignature|Pwd|Password)=([^;\s]{6,})",
    ),
    context("secret", Part::Value, r"(?i)\b(?:machine\s+\S+\s+)?login\s+\S+\s+password\s+(\S{3,})"),
    context(
        "secret",
        Part::Value,
        r"(?i)\bcurl\b[^\r\n|;&]{0,400}?\s(?:-u|--user)\s*[=\s]?[\x22']?([^\s\x22':]+:[^\s\x22']+)",
    ),
    context("secret", Part::Value, r"(?i)_authToken\s*=\s*(\S{8,})"),
    // People.
    Rule {
        kind: "email",
        pattern: r"(?i)\b([a-z0-9][a-z0-9._%+-]{0,63}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24})\b",
        part: Part::Value,
        wraps: false,
    },
];
