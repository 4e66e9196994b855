//! Secrets are found, other texts stay, and no planted secret survives.
#![allow(clippy::unwrap_used)]

use cwl_redact::{LEFT_OUT, Learner, MOST_BYTES, People, Redactor};
use proptest::prelude::*;
use serde_json::{Value, json};

fn redactor_of(texts: &[&str], people: &People) -> Redactor {
    let mut learner = Learner::new(people);
    texts.iter().for_each(|text| learner.text(text));
    learner.finish().unwrap()
}

fn redacted(text: &str) -> String {
    redactor_of(&[text], &People::default()).text(text)
}

/// Assembles a key, so no scanner takes this file for a leak.
fn key(before: &str, drawn: &str) -> String {
    format!("{before}{drawn}")
}

const DRAWN: &str = "a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs";

#[test]
fn every_form_is_found_wherever_it_stands() {
    let check = |kind: &str, secret: &str| {
        for text in [
            secret.to_owned(),
            format!("the key is {secret}, keep it"),
            format!("x=\"{secret}\";"),
            format!("{{\"a\":\"{secret}\\n\"}}"),
        ] {
            let written = redacted(&text);
            assert!(!written.contains(secret), "{text}\n{written}");
            assert!(written.contains(&format!("[redacted:{kind}#1]")), "{kind}: {written}");
        }
    };
    check("anthropic-key", &key("sk-ant-", &format!("api03-{DRAWN}")));
    check("openai-key", &key("sk-", &format!("proj-{DRAWN}")));
    check("openai-key", &key("sk-", DRAWN));
    check("google-key", &key("AIza", &DRAWN[..35]));
    check("model-key", &key("hf_", DRAWN));
    check("github-token", &key("ghp_", DRAWN));
    check("github-token", &key("github_pat_", DRAWN));
    check("gitlab-token", &key("glpat-", &DRAWN[..20]));
    check("npm-token", &key("npm_", DRAWN));
    check("aws-key", &key("AKIA", "Q4ZP7RWV1CYB6NDE"));
    check("token", &key("waka_", "7ff19f61-ecb1-4db1-a001-2b67bc69826c"));
    check("token", &key("signkey-prod-", "3f8a9c1e7b2d4f60aa1b2c3d4e5f60718293a4b53f8a9c1e7b2d4f60aa1b2c3d"));
    check("token", &key("IQoJb3JpZ2lu", &format!("{DRAWN}+/{DRAWN}")));
    check("token", &key("lip_", &DRAWN[..20]));
    check("token", &key("00", &format!("{}-{}", &DRAWN[..20], &DRAWN[1..20])));
    check("slack-token", &key("xoxb-", "123456789012-abcdefABCDEF"));
    check("stripe-key", &key("sk_live_", DRAWN));
    check("sendgrid-key", &key("SG.", &format!("{}.{}", &DRAWN[..22], &DRAWN[4..30])));
    check("telegram-token", &key("123456789:", &format!("AA{}", &DRAWN[..33])));
    check("jwt", &key("eyJhbGciOiJIUzI1NiJ9.", &format!("{}.{}", &DRAWN[..20], &DRAWN[8..30])));
    check(
        "private-key",
        &format!(
            "-----BEGIN {}-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nAbc/12+=\n-----END {}-----",
            "RSA PRIVATE KEY", "RSA PRIVATE KEY"
        ),
    );
}

#[test]
fn what_a_name_says_is_a_secret_is_one() {
    let check = |text: &str, secret: &str| {
        let written = redacted(text);
        assert!(!written.contains(secret) && written.contains("[redacted:"), "{text}\n{written}");
    };
    check("Authorization: Bearer abcdef0123456789", "abcdef0123456789");
    check("curl -H 'authorization: Basic dXNlcjpwYXNz'", "dXNlcjpwYXNz");
    check("Cookie: sid=abc; theme=dark", "sid=abc");
    check("set-cookie: session=0815; Path=/", "0815");
    check("postgres://app:hunter2@db.example/x", "hunter2");
    check("https://me:t0psecret@host/repo.git", "t0psecret");
    check(r#"{"password": "hunter2"}"#, "hunter2");
    check(r#"{"db":{"clientSecret":"blue"}}"#, "blue");
    check(r#"args: {\"api_key\": \"hunter2\"}"#, "hunter2");
    check("export DB_PASSWORD=hunter22", "hunter22");
    check("API_TOKEN=abc-def-ghi\nPORT=80", "abc-def-ghi");
    check("mysql --password=hunter22 -u root", "hunter22");
    check("tool --api-key hunter22", "hunter22");
    check("curl -u vera:hunter22 http://x", "hunter22");
    check("secret: 3f8a9c1e7b2d4f60aa", "3f8a9c1e7b2d4f60aa");
    check("the password is a8F3kQ92xLm04Z", "a8F3kQ92xLm04Z");
    check("AccountKey=abc123==;Endpoint", "abc123");
    check("//registry.example/:_authToken=0815-4711-0815", "0815-4711-0815");
    check("https://x.example/f?sig=a8F3kQ92xLm04Z&v=1", "a8F3kQ92xLm04Z");
    check("mail vera@example.org now", "vera@example.org");
    for (text, secret) in [
        ("password = \"$pa$$w0rd1\"", "pa$$w0rd1"),
        ("DB_PASSWORD=(s3cr3t)x", "s3cr3t"),
        ("secret: \"<s3cr3t><more>\"", "s3cr3t"),
        ("password=\"{a9}b{c8}d\"", "{a9}b{c8}d"),
        ("password: '%9dfk3%a'", "%9dfk3%a"),
        ("STRIPE_KEY=a8F3kQ92xLm04Z", "a8F3kQ92xLm04Z"),
        ("DEPLOY_TOKEN ?= a8F3kQ92xLm04Z", "a8F3kQ92xLm04Z"),
        ("DEPLOY_TOKEN ::= a8F3kQ92xLm04Z", "a8F3kQ92xLm04Z"),
        ("$token .= 'hunter22x'", "hunter22x"),
        ("let secret = `hunter22x`", "hunter22x"),
        ("const apiKey: string = \"hunter22x\"", "hunter22x"),
        ("let token: &'static str = \"hunter22x\";", "hunter22x"),
        ("setenv(\"X_TOKEN\", \"a8F3kQ92xLm04Z\")", "a8F3kQ92xLm04Z"),
        ("<password>hunter22</password>", "hunter22"),
        ("mysql -u root -phunter22 shop", "hunter22"),
        ("sshpass -p hunter22 ssh vera@host", "hunter22"),
        ("redis-cli -h cache -a hunter22 ping", "hunter22"),
        ("curl -s \\\n  -u vera:hunter22 \\\n  http://x", "hunter22"),
        ("postgres://app:p/a@ss9@db.example/x", "p/a@ss9"),
        ("http://{user}:hunter22x@db.example/x", "hunter22x"),
        ("ftp://app:p(4)ss<9>@db.example/x", "p(4)ss<9>"),
        ("cloudant_key = \"abcdefghijabcdefghijabcd\"", "abcdefghijabcdefghijabcd"),
        ("serviceKey := \"a8F3kQ92xLm04ZpT7rWv1cYb\"", "a8F3kQ92xLm04ZpT7rWv1cYb"),
        ("jdbc:oracle:thin:app/hunter22x@//db:1521/x", "hunter22x"),
        ("Server=db;User Id=sa; Password = hunter22;", "hunter22"),
        ("ldapsearch -x -D cn=admin -w hunter22 -b dc=x", "hunter22"),
        ("https://a.blob.example/c?sv=2022-11-02&sp=rl&sig=a8F3kQ92xLm04ZpT7rWv1cYb%3D", "sp=rl&sig"),
        ("\u{1b}[36mAPI_KEY\u{1b}[0m=hunter22x", "hunter22x"),
        ("{\"auths\":{\"x\":{\"auth\":\"dXNlcjpwYXNzMQ==\"}}}", "dXNlcjpwYXNzMQ"),
    ] {
        check(text, secret);
    }
}

#[test]
fn secrets_in_arguments_are_found_however_often_they_are_escaped() {
    let names =
        ["DB_PASSWORD", "API_KEY", "STRIPE_KEY", "APP_SECRET", "SESSION_TOKEN", "MAIL_PWD", "SIGNING_KEY"];
    let secrets: Vec<String> = (0..names.len()).map(|n| format!("{}-{n}x7", &DRAWN[n..n + 12])).collect();
    let lines: Vec<String> =
        names.iter().zip(&secrets).map(|(name, secret)| format!("{name}={secret}")).collect();
    let mut text = format!("cat > .env <<'EOF'\n{}\n\t{}\nEOF", lines.join("\n"), key("ghp_", DRAWN));
    for _ in 0..4 {
        text = format!("bash {}", json!({"command": text, "timeout": 1}));
        let written = redacted(&text);
        for secret in secrets.iter().map(String::as_str).chain([DRAWN]) {
            assert!(!written.contains(secret), "{secret}\n{written}");
        }
        assert!(written.contains("DB_PASSWORD=[redacted:secret#"), "{written}");
        // Truncated in the middle, it is no longer JSON.
        let torn = &text[..text.len() - 12];
        assert!(!redacted(torn).contains(&secrets[2]), "{torn}");
    }
    let nested = json!({"output": json!({"db": {"password": "hunter2"}}).to_string()}).to_string();
    assert!(!redacted(&nested).contains("hunter2"), "{}", redacted(&nested));
}

#[test]
fn a_learned_secret_is_found_in_every_form() {
    let secret = "Tr0ub4dor&3 \"quoted\"";
    let named = json!({ "password": secret }).to_string();
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    for form in [
        base64(format!("app:{secret}").as_bytes()),
        hex.to_uppercase(),
        "Tr0ub4dor%263%20%22quoted%22".to_owned(),
        "Tr0ub4dor&amp;3 &quot;quoted&quot;".to_owned(),
        "Tr0ub4dor\\u00263 \\\"quoted\\\"".to_owned(),
        "Tr0ub4\n    dor&3 \"quo\n    ted\"".to_owned(),
        "Tr0ub4' + 'dor&3 \"quoted\"".to_owned(),
        "Tr0u\u{1b}[1mb4dor&3\u{1b}[0m \"quoted\"".to_owned(),
        hex,
    ] {
        let mut redactor = redactor_of(&[&named], &People::default());
        let written = redactor.text(&format!("begin <{form}> end"));
        // Letters in base64 may be a token by themselves.
        let is_marked = written.contains("[redacted:secret#1]") || written.contains("[redacted:token#1]");
        assert!(is_marked && !written.contains("dor&3"), "{form}\n{written}");
        assert!(redactor.first_leak(&json!(form).to_string()).is_some(), "{form}");
        assert!(redactor.first_leak(&written).is_none(), "{written}");
    }
}

/// A secret may be encoded as learned, as its text spells it, without the character behind it, or in part; so
/// may a password that looks like an ordinary word.
#[test]
fn a_secret_is_found_encoded_as_it_stood() {
    let pem = |end: &str| {
        let lines = [DRAWN, &DRAWN[4..], &DRAWN[9..]].map(|line| format!("{line}{line}"));
        let word = "RSA PRIVATE KEY";
        format!("-----BEGIN {word}-----{end}{}{end}-----END {word}-----", lines.join(end))
    };
    for (learned, secret) in [
        (pem("\n"), pem("\n")),
        (pem("\n"), pem("\r\n")),
        (json!({ "key": pem("\n") }).to_string(), json!({ "key": pem("\n") }).to_string()),
        (format!("password={{hunter2x9}} TOKEN={DRAWN}}}"), DRAWN.to_owned()),
        (format!("Endpoint=https://x.example;Id=ab+/9;Secret={DRAWN}"), DRAWN.to_owned()),
        (r"PASSWORD='Tr0ub%34dor\x26z'".to_owned(), r"Tr0ub%34dor\x26z".to_owned()),
        (r#"{"password": "swordfish"}"#.to_owned(), "swordfish".to_owned()),
        (r#"{"password": "hunter2x"}"#.to_owned(), "hunter2x".to_owned()),
        (r#"{"token": "seugeupfknprstoe"}"#.to_owned(), "seugeupfknprstoe".to_owned()),
    ] {
        let mut redactor = redactor_of(&[&learned], &People::default());
        for user in ["", "u:", "me:", "app:"] {
            let encoded = base64(format!("{user}{secret}").as_bytes());
            let written = redactor.text(&format!("data: {encoded} end"));
            let middle = &encoded[encoded.len() / 4 + 2..encoded.len() - encoded.len() / 4];
            assert!(!written.contains(middle), "{learned}\n{encoded}\n{written}");
        }
    }
    let mut redactor = redactor_of(&[r#"{"password": "swordfish"}"#], &People::default());
    assert_eq!(redactor.text("a swordfish is a fish"), "a swordfish is a fish");
}

#[test]
fn a_text_that_is_escaped_too_often_is_left_out_and_the_export_is_made() {
    let secret = key("ghp_", DRAWN);
    for n in 0..14 {
        let text = format!("{secret} {}n", "\\".repeat(1 << n));
        let mut redactor = redactor_of(&[&text], &People::default());
        let written = redactor.text(&text);
        assert!(!written.contains(&secret), "{n}");
        assert_eq!(redactor.first_leak(&json!({ "text": written }).to_string()), None, "{n}");
    }
}

#[test]
fn private_keys_are_found_torn_numbered_and_in_other_forms() {
    let body = |n: usize| DRAWN.chars().cycle().skip(n).take(64).collect::<String>();
    let (begin, end) = (key("-----BEGIN RSA ", "PRIVATE KEY-----"), key("-----END RSA ", "PRIVATE KEY-----"));
    let lines: Vec<String> = (0..4).map(body).collect();
    let numbered: Vec<String> =
        lines.iter().zip(2..).map(|(line, n)| format!("     {n}\u{2192}{line}")).collect();
    let quoted: Vec<String> = lines.iter().map(|line| format!("> {line}")).collect();
    for text in [
        format!("{begin}\n{}", lines.join("\n")),
        format!("{begin}\n{}\n", numbered.join("\n")),
        format!("> {begin}\n{}\n", quoted.join("\n")),
        format!("{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,3F8A\n\n{}", lines.join("\n")),
        format!("{}\n{end}", lines.join("\n")),
        format!("PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 4\n{}\n", lines.join("\n")),
        format!("client-key-data: {}", base64(format!("{begin}\n{}\n{end}\n", lines.join("\n")).as_bytes())),
        format!("{}{}\n{}", key("MIIEpA", "IBAAKC"), &lines[0][..52], lines[1..].join("\n")),
    ] {
        let written = redacted(&text);
        assert!(written.contains("[redacted:private-key#1]"), "{text}\n{written}");
        let bits = text.lines().flat_map(|line| line.split([' ', '\u{2192}'])).filter(|bit| bit.len() >= 64);
        for bit in bits {
            assert!(!written.contains(&bit[10..40]), "{text}\n{written}");
        }
    }
}

#[test]
fn what_is_no_secret_stays() {
    for text in [
        "const headers = { authorization, 'content-type': 'text/plain' }",
        "options for the bearer authentication middleware",
        "nextPass: 'Next pass', noPass: 'No pass at this turn.'",
        "fetch(url, {credentials: 'include'})",
        "open http://localhost:5173/@vite/client now",
        "jdbc:postgresql://localhost:5432/mydb",
        "password = ${DB_PASSWORD} or <your password> or $(pass show db) or %PASSWORD%",
        "TOKEN=$TOKEN KEY=$API_KEY",
        "toolu_01A8F3kQ92xLm04ZpT7rWv1c and 7ff19f61-ecb1-4db1-a001-2b67bc69826c",
        "{\"sessionId\":\"7ff19f61-ecb1-4db1-a001-2b67bc69826c\"}",
        "if (part.startsWith('token=')) return part.slice('token='.length)",
        "let token = self.next_token();",
        "max_tokens: 4096, tokenizer: o200k_base",
        "fn secret(&self) -> &str { &self.secret }",
        "password: string; apiKey?: string",
        "API_KEY=$API_KEY run",
        "password=${DB_PASSWORD}",
        r#"{"token": "string", "input_tokens": 1234}"#,
        "git clone git@github.com:a/b.git",
        "commit 3f8a9c1e7b2d4f60aa1b2c3d4e5f60718293a4b5",
        "npm i react@18.2.0 lodash@4.17.21",
        "see https://docs.rs/regex and http://localhost:3000/x",
        "src/home/page.rs and /usr/share",
        "n === '1' ? 'token' : 'tokens'",
        "http://{user}:{password}@{host}/ and https://<user>:<password>@host",
        "primary_key: \"organization_id_of_the_table\", cacheKey: 'byOrganizationAndMembership'",
        "the token budget is 80,000 tokens",
        "1,204 tokens of search output stripped",
    ] {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn the_same_secret_has_the_same_mark_everywhere() {
    let (a, b) = (key("ghp_", DRAWN), key("ghp_", &DRAWN[1..]));
    let texts = [format!("{a} {b}"), format!("again {a}"), format!("{b} {a}")];
    let mut redactor = redactor_of(&texts.iter().map(String::as_str).collect::<Vec<_>>(), &People::default());
    let written: Vec<String> = texts.iter().map(|text| redactor.text(text)).collect();
    let (one, two) = ("[redacted:github-token#1]", "[redacted:github-token#2]");
    assert_eq!(written, [format!("{one} {two}"), format!("again {one}"), format!("{two} {one}")]);
    let counts = redactor.counts();
    assert_eq!((counts[0].kind, counts[0].different, counts[0].places), ("github-token", 2, 5));
}

#[test]
fn a_secret_that_was_named_once_is_found_where_nothing_names_it() {
    let mut learner = Learner::new(&People::default());
    learner.value(&json!({"env": [{"name": "DB_PASSWORD", "value": "Tr0ub4dor&3"}], "headers": {"Cookie": "k=ZZtop-99"}}));
    let mut redactor = learner.finish().unwrap();
    assert_eq!(redactor.text("echo Tr0ub4dor&3"), "echo [redacted:secret#1]");
    assert_eq!(redactor.text("k=ZZtop-99!"), "[redacted:cookie#1]!");
    assert_eq!(redactor.text("Tr0ub%34").as_str(), "Tr0ub%34");
    assert_eq!(redactor.text("a?p=Tr0ub4dor%263"), "a?p=[redacted:secret#1]");
    let value = redactor.value(&json!({"password": "w", "list": [{"token": ["q", "Tr0ub4dor&3"]}], "n": 3}));
    assert_eq!(
        value,
        json!({"password": "[redacted:secret#2]", "list": [{"token": ["[redacted:secret#3]", "[redacted:secret#1]"]}], "n": 3})
    );
}

#[test]
fn a_part_of_a_secret_is_found_alone() {
    for (text, part) in [
        ("postgres://app:hunter2x9@db.example/x", "hunter2x9"),
        ("curl -u vera:hunter2x9 http://x", "hunter2x9"),
        ("Authorization: Basic dXNlcjpwYXNzMQ==", "dXNlcjpwYXNzMQ=="),
        ("Cookie: theme=dark; sid=a8F3kQ92xLm04Z", "a8F3kQ92xLm04Z"),
    ] {
        let mut redactor = redactor_of(&[text], &People::default());
        let written = redactor.text(&format!("say {part} again"));
        assert!(written.starts_with("say [redacted:") && written.ends_with("] again"), "{text}\n{written}");
    }
}

#[test]
fn people_are_not_named() {
    let people = People {
        homes: vec!["/home/verameier/work/x".into(), "/opt/people/vm".into()],
        users: vec!["root".into()],
        hosts: vec!["tidewater-7".into()],
    };
    let check = |text: &str, written: &str| assert_eq!(redactor_of(&[text], &people).text(text), written);
    check("cd /home/verameier/work && ls /home/other", "cd ~/work && ls ~");
    check("/opt/people/vm/a", "~/a");
    check("verameier@tidewater-7:~$", "[redacted:user#1]@[redacted:host#1]:~$");
    check("-home-verameier-work/x.jsonl", "-home-[redacted:user#1]-work/x.jsonl");
    check("-rw-r--r-- 1 verameier staff", "-rw-r--r-- 1 [redacted:user#1] staff");
    check("root and verameiers", "root and verameiers");
}

#[test]
fn what_cannot_be_looked_through_is_left_out() {
    let mut redactor = Learner::default().finish().unwrap();
    assert_eq!(redactor.text(&"a".repeat(MOST_BYTES + 1)), LEFT_OUT);
    let mut deep = json!("x");
    for _ in 0..80 {
        deep = json!([deep]);
    }
    assert!(redactor.value(&deep).to_string().contains(LEFT_OUT));
    assert_eq!(redactor.n_left_out(), 2);
}

#[test]
fn large_secrets_are_found_again_and_those_beside_them() {
    let large: String = DRAWN.chars().cycle().take(32_000).collect();
    let body = |n: usize| {
        let line = DRAWN.chars().cycle().skip(n).take(64).collect::<String>();
        format!(
            "-----BEGIN {0}-----\n{1}-----END {0}-----",
            "RSA PRIVATE KEY",
            format!("{line}\n").repeat(25)
        )
    };
    let keys: Vec<String> = (0..20).map(body).collect();
    let token = format!("{{\"token\":\"{large}\"}}");
    let mut texts = vec![token.as_str(), r#"{"password":"Tr0ub4dor&3"}"#];
    texts.extend(keys.iter().map(String::as_str));
    let mut redactor = redactor_of(&texts, &People::default());
    for text in &texts {
        let said = text.split('"').rev().nth(1).unwrap_or(text);
        let written = redactor.text(&format!("said {said} again"));
        assert!(written.starts_with("said [redacted:") && written.ends_with("] again"), "{written}");
    }
    assert!(redactor.first_leak(&token).is_some() && redactor.first_leak("x Tr0ub4dor&3").is_some());
}

#[test]
fn only_whole_marks_protect_names() {
    let people = People { users: vec!["verameier".into(), "vera".into()], ..People::default() };
    let check = |text: &str, written: &str| assert_eq!(redactor_of(&[], &people).text(text), written);
    check("[redacted:verameier#1] stays", "[redacted:verameier#1] stays");
    check("[redacted: verameier]", "[redacted: [redacted:user#1]]");
    check("verameier vera verameiers", "[redacted:user#1] [redacted:user#2] verameiers");
}

/// A secret of a kind recognised by its form alone.
fn secret() -> impl Strategy<Value = String> {
    let drawn = |n: usize| {
        proptest::collection::vec(proptest::char::ranges(vec!['a'..='z', 'A'..='Z', '0'..='9'].into()), n)
    };
    let of = move |before: &'static str, n: usize| {
        drawn(n).prop_map(move |c| format!("{before}{}", c.into_iter().collect::<String>()))
    };
    prop_oneof![
        of("sk-ant-", 40),
        of("ghp_", 36),
        of("npm_", 36),
        of("glpat-", 20),
        of("AIza", 35),
        of("hf_", 34)
    ]
}

fn around() -> impl Strategy<Value = String> {
    proptest::string::string_regex("([a-z]{1,9}[ \n\t\"'{}:,/\\\\]{1,3}){0,12}").unwrap()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut written = String::new();
    for group in bytes.chunks(3) {
        let joined =
            group.iter().chain([0, 0].iter()).take(3).fold(0u32, |sum, byte| sum << 8 | u32::from(*byte));
        for at in 0..=group.len() {
            written.push(char::from(LETTERS[(joined >> (18 - 6 * at) & 63) as usize]));
        }
    }
    written
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 5))]
    #[test]
    fn what_was_planted_never_comes_out(secret in secret(), before in around(), after in around(), width in 4usize..30) {
        let wrapped = secret.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect::<Vec<_>>().join("\n  ");
        let value = json!({"command": format!("{before} {secret} {after}"), "list": [{"env": {"X": secret}}]});
        let texts = [
            format!("{before} {secret} {after}"),
            format!("{before} {wrapped} {after}"),
            serde_json::to_string(&format!("{before}\"{secret}\"{after}")).unwrap(),
            value.to_string(),
            format!("{before} {} {after}", base64(format!("user:{secret}").as_bytes())),
        ];
        let mut learner = Learner::new(&People::default());
        texts.iter().for_each(|text| learner.text(text));
        learner.value(&value);
        let mut redactor = learner.finish().unwrap();
        let mut written: Vec<String> = texts.iter().map(|text| redactor.text(text)).collect();
        written.push(redactor.value(&value).to_string());
        for text in &written {
            let flat: String = text.split_whitespace().collect();
            prop_assert!(!text.contains(&secret) && !flat.contains(&secret), "{text}");
            prop_assert!(!flat.contains(&base64(secret.as_bytes())[..24]), "{text}");
            // The whole middle is gone, not only a letter.
            prop_assert!(!flat.contains(&secret[8..secret.len() - 8]), "{text}");
        }
    }

    #[test]
    fn nothing_panics_and_marks_stay_as_they_are(text in ".{0,200}", secret in secret()) {
        let text = format!("{text} password=\"{secret}\" {text}");
        let once = redacted(&text);
        prop_assert_eq!(redacted(&once), once.clone());
        let value: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        let _written = Learner::default().finish().unwrap().value(&value);
    }
}
