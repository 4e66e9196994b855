//! Certificates: which authorities vouch for an upstream. The system's are, and no others.

use std::path::Path;

use rustls::RootCertStore;

/// The certificates of authorities that are trusted.
#[derive(Debug, Clone)]
pub struct Certificates {
    pub(crate) roots: RootCertStore,
}

/// The reason why no upstream could be trusted.
#[derive(Debug, thiserror::Error)]
#[error(
    "no certificates of authorities were found on this system{}; install them (on Debian: apt install ca-certificates) or name a file of them in SSL_CERT_FILE",
    .0.as_deref().map(|why| format!(" ({why})")).unwrap_or_default()
)]
pub struct NoCertificates(Option<String>);

impl Certificates {
    /// Reads the certificates that the system trusts; `SSL_CERT_FILE` and `SSL_CERT_DIR` name others, as for other programs.
    ///
    /// # Errors
    /// If there is none.
    pub fn of_system() -> Result<Self, NoCertificates> {
        Self::keep(rustls_native_certs::load_native_certs())
    }

    /// Reads the certificates of one file in PEM.
    ///
    /// # Errors
    /// If there is none in it.
    pub fn of_file(path: &Path) -> Result<Self, NoCertificates> {
        Self::keep(rustls_native_certs::load_certs_from_paths(Some(path), None))
    }

    /// Keeps those that can be read: one odd certificate of many is no reason to trust none.
    fn keep(found: rustls_native_certs::CertificateResult) -> Result<Self, NoCertificates> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            return Err(NoCertificates(found.errors.first().map(ToString::to_string)));
        }
        Ok(Self { roots })
    }
}
