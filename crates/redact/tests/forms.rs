//! A learned secret is found however it is truncated and laid out, and texts designed to be slow are
//! searched.
#![allow(clippy::unwrap_used)]

use cwl_redact::{Learner, People, Redactor};

const DRAWN: &str = "a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs";

fn learned(text: &str) -> Redactor {
    let mut learner = Learner::new(&People::default());
    learner.text(text);
    learner.finish().unwrap()
}

/// Assembles a token, so no scanner takes this file for a leak.
fn token() -> String {
    format!("sk-ant-{}", format_args!("api03-{DRAWN}"))
}

#[test]
fn a_cut_secret_is_found_beyond_its_fixed_part() {
    let mut redactor = learned(&token());
    let mut check = |text: &str, written: &str| assert_eq!(redactor.text(text), written);
    check("run sk-ant-api03-a8F3kQ92… [truncated]", "run [redacted:anthropic-key#1]… [truncated]");
    check("run sk-ant-api03-a8F3kQ92", "run [redacted:anthropic-key#1]");
    check("…cYb6NdE5gHj2uKs ok", "…[redacted:anthropic-key#1] ok");
    check("[...]4ZpT7rWv1cYb6N[...]", "[...][redacted:anthropic-key#1][...]");
    check("run sk-ant-api03-a8F… and sk-ant-api03-b", "run sk-ant-api03-a8F… and sk-ant-api03-b");
}

#[test]
fn a_secret_is_found_however_it_is_set() {
    let secret = token();
    let each = |write: &dyn Fn(u8) -> String, between: &str| {
        secret.bytes().map(write).collect::<Vec<_>>().join(between)
    };
    let (left, right) = secret.split_at(24);
    for text in [
        format!("│ {left} │\n│ {right} │"),
        format!("     1\t{left}\n     2\t{right}"),
        format!("+{left}\n+{right}"),
        each(&|byte| format!("{}\u{200b}", char::from(byte)), ""),
        each(&|byte| format!("={byte:02X}"), ""),
        each(&|byte| byte.to_string(), ", "),
        each(&|byte| format!("0x{byte:02x}"), ",\n  "),
        each(&|byte| format!("\\{byte:03o}"), ""),
        each(&|byte| format!("&#x{byte:x};"), ""),
        each(&|byte| format!("{byte:02x}00"), ""),
        secret.to_ascii_uppercase(),
    ] {
        let written = learned(&secret).text(&format!("begin {text} end"));
        assert!(written.contains("[redacted:anthropic-key#1]"), "{text}\n{written}");
        assert!(written.len() < 80, "{text}\n{written}");
    }
}

#[test]
fn passwords_of_commands_are_found() {
    for text in [
        "echo hunter2! | sudo -S ls",
        "echo 'deploy:hunter2!' | chpasswd",
        "7z a -phunter2! out.7z",
        "CREATE USER a IDENTIFIED BY 'hunter2!';",
        "requests.get(url, auth=('me', 'hunter2!'))",
        "ConvertTo-SecureString 'hunter2!' -AsPlainText",
        "db.example.org:5432:shop:app:hunter2!",
        "net use Z: \\\\server\\share hunter2! /user:me",
        "kind: Secret\nstringData:\n  x: hunter2!\n",
        "xfreerdp /u:me /p:hunter2! /v:x",
        "smbclient //s/x -U me%hunter2!",
        "plink -pw hunter2! me@host",
        "psk=\"hunter2!\"",
        "bindpw hunter2!",
    ] {
        let written = learned(text).text(text);
        assert!(!written.contains("hunter2"), "{text}\n{written}");
    }
}

#[test]
fn hashes_of_lock_files_stay() {
    let hash = format!("{DRAWN}{DRAWN}{}==", &DRAWN[..14]);
    for text in [
        format!("\"integrity\": \"sha512-{hash}\","),
        format!("integrity sha512-{hash}"),
        format!("golang.org/x/net v0.1.0/go.mod h1:{}=", &hash[..43]),
        "checksum = \"3f8a9c1e7b2d4f60aa1b2c3d4e5f60718293a4b53f8a9c1e7b2d4f60aa1b2c3d\"".to_owned(),
        "hash = \"sha256:3f8a9c1e7b2d4f60aa1b2c3d4e5f60718293a4b53f8a9c1e7b2d4f60aa1b2c3d\"".to_owned(),
    ] {
        assert_eq!(learned(&text).text(&text), text);
    }
}

/// The output of `base64 FILE` once took gigabytes, because every line was a secret in nine forms.
#[test]
fn a_large_text_in_base64_is_looked_through() {
    let mut seed = 7_u64;
    let mut letter = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[(seed >> 58) as usize])
    };
    let lines: Vec<String> = (0..2000).map(|_| (0..76).map(|_| letter()).collect()).collect();
    let value = lines.concat();
    let text = format!("{{\"token\": \"{value}\"}}\n{}", lines.join("\n"));
    let mut redactor = learned(&text);
    assert!(!redactor.text(&text).contains(&value[1000..1100]));
    // A part of a secret too long to be kept is found by its blocks.
    let part = redactor.text(&format!("see {} there", &value[5000..5200]));
    assert_eq!(part, "see [redacted:secret#1] there");
}

#[test]
fn what_stands_in_two_texts_of_a_page_is_no_secret() {
    let (left, right) = DRAWN.split_at(18);
    let redactor = learned(&format!("password=\"{DRAWN}\""));
    assert!(redactor.first_leak(&format!("[\"{left}\",\"{right}\"]")).is_some());
    assert_eq!(redactor.first_leak(&format!("[\"{}\",\"{}\"]", &DRAWN[..7], &DRAWN[7..14])), None);
    assert_eq!(redactor.first_leak(&format!("{{\"a\":\"x\\\"{DRAWN}\\\"\"}}")), Some("secret"));
}
