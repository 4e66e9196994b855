//! Passwords on command lines, in code and in protocols, without a name that announces them.

use cwl_redact::{Learner, People};

/// Texts with `PW` in place of the password, one per family.
const TEXTS: &[&str] = &[
    "echo PW | sudo -S apt-get update",
    "echo 'PW' | sudo -S -k ls",
    "printf '%s\\n' 'PW' | sudo -S true",
    "sudo -S whoami <<< 'PW'",
    "echo 'deploy:PW' | chpasswd",
    "echo \"root:PW\" | sudo chpasswd",
    "chpasswd <<< 'deploy:PW'",
    "echo PW | docker login -u me --password-stdin ghcr.io",
    "echo PW | passwd --stdin deploy",
    "echo PW | kinit admin@EXAMPLE.ORG",
    "7z a -pPW out.7z dir",
    "7z x archive.7z -pPW",
    "unzip -P PW archive.zip",
    "zip -P 'PW' -r out.zip dir",
    "unrar x -pPW archive.rar",
    "CREATE USER app IDENTIFIED BY 'PW';",
    "ALTER USER 'root'@'localhost' IDENTIFIED WITH mysql_native_password BY 'PW';",
    "CREATE ROLE app WITH LOGIN PASSWORD 'PW';",
    "ALTER USER postgres WITH ENCRYPTED PASSWORD 'PW';",
    "127.0.0.1:6379> AUTH PW",
    "redis-cli AUTH PW",
    "AUTH default PW",
    "requirepass PW",
    "requests.get(url, auth=('admin', 'PW'))",
    "session.auth = HTTPBasicAuth(\"admin\", \"PW\")",
    "req.SetBasicAuth(\"admin\", \"PW\")",
    "client.get(url).basic_auth(\"admin\", Some(\"PW\"))",
    "smtp.login('me@example.org', 'PW')",
    "$s = ConvertTo-SecureString 'PW' -AsPlainText -Force",
    "ConvertTo-SecureString -String \"PW\" -AsPlainText -Force",
    "db.example.org:5432:shop:app:PW",
    "*:*:*:postgres:PW",
    "AUTH PLAIN B64",
    "a1 AUTHENTICATE PLAIN B64",
    "net use Z: \\\\server\\share PW /user:corp\\me",
    "net user deploy PW /add",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  first: B64\n",
    "apiVersion: v1\nkind: Secret\nstringData:\n  anything: PW\n",
    "{\"kind\":\"Secret\",\"data\":{\"first\":\"B64\"}}",
    "kubectl create secret generic db --from-literal=first=PW",
    "APP_KEY=base64:B64B64",
    "mnemonic: \"abandon ability able about above absent absorb abstract absurd abuse access accident\"",
    "seed phrase = legal winner thank year wave sausage worth useful legal winner thank yellow",
    "network={\n  ssid=\"home\"\n  psk=\"PW\"\n}",
    "wpa_passphrase home PW",
    "nmcli device wifi connect home password PW",
    "bindpw PW",
    "olcrootpw: PW",
    "xfreerdp /u:me /p:PW /v:10.0.0.1",
    "smbclient //server/share -U me%PW",
    "rpcclient -U 'me%PW' 10.0.0.1",
    "plink -ssh me@host -pw PW ls",
    "pscp -pw PW f me@host:",
    "sqlcmd -S db -U sa -P PW -Q 'select 1'",
    "mosquitto_pub -h broker -u me -P PW -t t -m m",
    "openssl enc -aes-256-cbc -k PW -in f",
    "openssl passwd -6 PW",
    "htpasswd -bc .htpasswd me PW",
    "psexec \\\\host -u me -p PW cmd",
    "expect \"assword:\"\nsend \"PW\\r\"",
];

/// Lists texts in which a password stays, for three passwords each, and the number of all texts.
pub(crate) fn missed() -> (Vec<String>, usize) {
    let passwords = ["Tr0ub4dor&3x", "hunter2!", "Sommer-2026-Zug"];
    let mut missed = Vec::new();
    for text in TEXTS {
        for password in passwords {
            let encoded =
                base64::Engine::encode(&base64::prelude::BASE64_STANDARD, format!("\0me\0{password}"));
            let text = text.replace("PW", password).replace("B64", &encoded);
            let mut learner = Learner::new(&People::default());
            learner.text(&text);
            let Ok(mut redactor) = learner.finish() else { continue };
            let written = redactor.text(&text);
            let words = ["able about above", "thank year wave"];
            let stays = [password, &encoded[..12]].iter().chain(&words).any(|part| written.contains(*part));
            if stays {
                missed.push(text);
            }
        }
    }
    (missed, TEXTS.len() * passwords.len())
}
