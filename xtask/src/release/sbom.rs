//! CycloneDX bills of materials: equal sources give equal bytes, without paths from the machine.

use std::path::Path;

use anyhow::{Context, bail};
use serde_json::{Value, json};

/// Removes everything that differs between runs or machines: serial number, paths of the checkout, and the
/// time, which becomes `time`.
///
/// # Errors
/// If the text is no bill of materials, or lists nothing.
pub(crate) fn settled(text: &str, root: &Path, time: &str) -> anyhow::Result<String> {
    let root = root.display().to_string();
    let mut bill: Value = serde_json::from_str(&text.replace(&format!("{root}/"), "").replace(&root, "."))?;
    if bill["bomFormat"] != "CycloneDX" {
        bail!("this is no bill of materials in the form of CycloneDX");
    }
    let n_components = bill["components"].as_array().map_or(0, Vec::len);
    if n_components == 0 {
        bail!("this bill lists no component");
    }
    let members = bill.as_object_mut().context("an object")?;
    members.remove("serialNumber");
    let metadata = members.entry("metadata").or_insert_with(|| json!({}));
    metadata["timestamp"] = json!(time);
    let components = members.get_mut("components").and_then(Value::as_array_mut).context("a list")?;
    components.sort_by_key(|component| component["bom-ref"].as_str().unwrap_or_default().to_owned());
    Ok(serde_json::to_string_pretty(&bill)? + "\n")
}

pub(crate) fn settle(files: &[std::path::PathBuf], root: &Path) -> anyhow::Result<()> {
    let time = jiff::Timestamp::from_second(epoch(&crate::root())?)?.to_string();
    for file in files {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let text = settled(&text, root, &time).with_context(|| file.display().to_string())?;
        std::fs::write(file, text)?;
    }
    Ok(())
}

/// A release's time in seconds since 1970: `SOURCE_DATE_EPOCH`, else the last commit's time.
///
/// # Errors
/// If git knows none.
pub(crate) fn epoch(root: &Path) -> anyhow::Result<i64> {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok();
    let text = given.map_or_else(|| super::git(root, &["log", "-1", "--format=%ct"]), Ok)?;
    text.trim().parse().context("SOURCE_DATE_EPOCH is no number of seconds")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn two_runs_on_two_machines_give_the_same_bill() {
        let bill = |root: &str, serial: &str, time: &str, first: &str, second: &str| {
            format!(
                r#"{{"bomFormat": "CycloneDX", "serialNumber": "{serial}", "metadata": {{"timestamp": "{time}", "x": 1}},
                    "components": [{{"bom-ref": "path+file://{root}/crates/{first}"}}, {{"bom-ref": "path+file://{root}/crates/{second}"}}]}}"#
            )
        };
        let one =
            settled(&bill("/a/b", "1", "now", "y", "x"), Path::new("/a/b"), "2026-11-26T00:00:00Z").unwrap();
        let other =
            settled(&bill("/c/d/e", "2", "then", "x", "y"), Path::new("/c/d/e"), "2026-11-26T00:00:00Z")
                .unwrap();
        assert_eq!(one, other);
        assert!(
            one.contains("path+file://crates/x") && one.contains("\"x\": 1") && !one.contains("serial"),
            "{one}"
        );
        assert!(settled("{}", Path::new("/a"), "").is_err());
        assert!(settled(r#"{"bomFormat": "CycloneDX", "components": []}"#, Path::new("/a"), "").is_err());
    }
}
