//! The display, checked before the toolkit starts, which would panic without one.

/// Sets `WEBKIT_DISABLE_DMABUF_RENDERER=1` on Linux, unless the user has set it.
///
/// Without a GPU, drawing becomes several times cheaper, and some drivers that showed a blank window show the
/// page. Call this first in `main`, before there is a second thread.
pub fn prefer_plain_buffers() {
    #[cfg(target_os = "linux")]
    {
        const NAME: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
        if std::env::var_os(NAME).is_none() {
            std::env::set_var(NAME, "1");
        }
    }
}

pub(crate) fn check_display() -> Result<(), String> {
    #[cfg(target_os = "linux")]
    {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let way_out = "use `cwl report FILE` or the other commands of `cwl` in a terminal";
        if !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
            return Err(format!("there is no display (DISPLAY and WAYLAND_DISPLAY are empty); {way_out}"));
        }
        if gtk::init().is_err() {
            let name = std::env::var(if set("WAYLAND_DISPLAY") { "WAYLAND_DISPLAY" } else { "DISPLAY" });
            return Err(format!("the display {} cannot be opened; {way_out}", name.unwrap_or_default()));
        }
    }
    Ok(())
}
