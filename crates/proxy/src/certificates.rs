//! Trusted certificate authorities for the upstream, usually the system's.

use std::path::Path;

use rustls::RootCertStore;

#[derive(Debug, Clone)]
pub struct Certificates {
    pub(crate) roots: RootCertStore,
}

/// No trusted certificate was found; holds the first read error, if any.
#[derive(Debug, thiserror::Error)]
#[error(
    "no certificates of authorities were found on this system{}; install them (on Debian: apt install ca-certificates) or name a file of them in SSL_CERT_FILE",
    .0.as_deref().map(|why| format!(" ({why})")).unwrap_or_default()
)]
pub struct NoCertificates(Option<String>);

impl Certificates {
    /// Reads the system's trusted certificates. `SSL_CERT_FILE` and `SSL_CERT_DIR` replace them, as for other
    /// programs.
    ///
    /// # Errors
    /// Returns [`NoCertificates`] if no readable certificate is found.
    pub fn of_system() -> Result<Self, NoCertificates> {
        Self::keep(rustls_native_certs::load_native_certs())
    }

    /// Reads the certificates in one PEM file.
    ///
    /// # Errors
    /// Returns [`NoCertificates`] if the file contains no readable certificate.
    pub fn of_file(path: &Path) -> Result<Self, NoCertificates> {
        Self::keep(rustls_native_certs::load_certs_from_paths(Some(path), None))
    }

    /// Skips unreadable certificates: one odd certificate is no reason to trust none.
    fn keep(found: rustls_native_certs::CertificateResult) -> Result<Self, NoCertificates> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            return Err(NoCertificates(found.errors.first().map(ToString::to_string)));
        }
        Ok(Self { roots })
    }
}
