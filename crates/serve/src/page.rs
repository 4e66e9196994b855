//! The page's files: built into the binary, or from a folder.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

/// Names and lengths of the built page's files, sorted by name; [`PACKED`] has their bytes in the same order.
/// Empty if the binary was built without a page.
static NAMES: &[(&str, usize)] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// All files' bytes, compressed together.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.zst"));

static BUILT_IN: LazyLock<Vec<(&str, &[u8])>> = LazyLock::new(|| {
    let bytes: &[u8] = zstd::decode_all(PACKED).expect("the build packed it, and memory is at hand").leak();
    let files = NAMES.iter().scan(bytes, |rest, &(name, length)| {
        let (file, after) = rest.split_at(length);
        *rest = after;
        Some((name, file))
    });
    files.collect()
});

#[derive(Debug, Clone)]
pub struct Page(PageSource);

#[derive(Debug, Clone)]
enum PageSource {
    BuiltIn,
    Folder(PathBuf),
}

/// The reason why there is no page to serve, and a remedy, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPage {
    #[error(
        "this binary was built without the page; build the page and then the binary (`make serve` does both), or name \
         the folder of a built page with --ui"
    )]
    NotBuiltIn,
    #[error("no built page; build it (`cd ui && npm run build`) and name its folder: {}", .0.display())]
    NotIn(PathBuf),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) kind: &'static str,
    pub(crate) bytes: Cow<'static, [u8]>,
    /// Set if the name changes with the content, so that browsers may cache the file.
    pub(crate) is_lasting: bool,
}

impl Page {
    /// Opens the page in `folder`, whose files are read at every request; `None` means the binary's page.
    ///
    /// # Errors
    /// [`NoPage`] if the folder or the binary has no page.
    pub fn open_folder(folder: Option<PathBuf>) -> Result<Self, NoPage> {
        match folder {
            Some(folder) if folder.join("index.html").is_file() => Ok(Self(PageSource::Folder(folder))),
            Some(folder) => Err(NoPage::NotIn(folder)),
            None if NAMES.is_empty() => Err(NoPage::NotBuiltIn),
            None => Ok(Self(PageSource::BuiltIn)),
        }
    }

    /// The HTML template for exports. `None` if the page was built without it.
    pub fn for_exports(&self) -> Option<String> {
        String::from_utf8(self.find_file("/export.html")?.bytes.into_owned()).ok()
    }

    /// Finds the file for a request's path. Percent-encoding is not decoded, since no name of the page needs
    /// it.
    pub(crate) fn find_file(&self, path: &str) -> Option<File> {
        let name = match path.strip_prefix('/')? {
            "" => "index.html",
            name => name,
        };
        let kind = kind_of(name)?;
        let (bytes, is_lasting) = match &self.0 {
            PageSource::BuiltIn => {
                let at = BUILT_IN.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
                (Cow::Borrowed(BUILT_IN[at].1), name.starts_with("assets/"))
            }
            PageSource::Folder(folder) => {
                (Cow::Owned(std::fs::read(path_inside(folder, name)?).ok()?), false)
            }
        };
        Some(File { kind, bytes, is_lasting })
    }
}

/// A file's path in `folder`. `None` if the name or a link leads outside.
fn path_inside(folder: &Path, name: &str) -> Option<PathBuf> {
    let is_plain = |component| matches!(component, Component::Normal(_));
    if name.contains(['\\', ':', '\0']) || !Path::new(name).components().all(is_plain) {
        return None;
    }
    let folder = folder.canonicalize().ok()?;
    let path = folder.join(name).canonicalize().ok()?;
    path.starts_with(&folder).then_some(path)
}

fn kind_of(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "woff2" => "font/woff2",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" => "application/json",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn files_are_found_by_their_plain_names() {
        let root = tempfile::tempdir().unwrap();
        let dist = root.path().join("dist");
        std::fs::create_dir_all(dist.join("assets")).unwrap();
        for name in ["index.html", "assets/a.js", "assets/odd..name.css", "notes.txt"] {
            std::fs::write(dist.join(name), name).unwrap();
        }
        std::fs::write(root.path().join("secret.json"), "secret").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path().join("secret.json"), dist.join("assets/link.json")).unwrap();
        let page = Page::open_folder(Some(dist)).unwrap();
        let check = |path: &str, expected: Option<&str>| {
            let found = page.find_file(path).map(|file| String::from_utf8(file.bytes.into_owned()).unwrap());
            assert_eq!(found.as_deref(), expected, "{path}");
        };
        check("/", Some("index.html"));
        check("/index.html", Some("index.html"));
        check("/assets/a.js", Some("assets/a.js"));
        check("/assets/odd..name.css", Some("assets/odd..name.css"));
        check("/notes.txt", None);
        check("/assets/b.js", None);
        check("/assets", None);
        check("/assets/", None);
        check("", None);
        check("//index.html", None);
        check("/../secret.json", None);
        check("/assets/../../secret.json", None);
        check("/assets/../index.html", None);
        check("/./index.html", None);
        check("/%2e%2e/secret.json", None);
        check("/..%2fsecret.json", None);
        check("/..\\secret.json", None);
        check("/C:/secret.json", None);
        check("/assets/a.js\0.js", None);
        check("/assets/link.json", None);
        check(&format!("{}/secret.json", root.path().display()), None);
        check(&format!("/{}/secret.json", root.path().display()), None);
    }

    #[test]
    fn a_folder_without_a_page_is_told() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().to_owned();
        assert_eq!(Page::open_folder(Some(folder.clone())).unwrap_err(), NoPage::NotIn(folder));
    }

    #[test]
    fn the_built_in_page_is_sorted_and_servable() {
        assert!(BUILT_IN.is_sorted_by_key(|(name, _)| *name), "it is searched in halves");
        assert_eq!(BUILT_IN.len(), NAMES.len());
        for (name, bytes) in BUILT_IN.iter() {
            assert!(kind_of(name).is_some(), "{name} has a media type");
            let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/dist").join(name);
            assert_eq!(std::fs::read(built).unwrap(), *bytes, "{name}");
        }
    }
}
