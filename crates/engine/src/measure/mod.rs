//! Measures: how good a replay was, told from the session's own later turns; no policy reads them.
