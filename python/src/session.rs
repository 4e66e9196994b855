//! One session: a log at one moment, and the commands that answer from it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use cwl_corpus::rows_of_log;
use cwl_host::api::{BodyRequest, Provider, ViewCut, ViewRequest, ViewSettings};
use cwl_host::commands::{self, PolicyAsked, RunsAsked};
use cwl_host::{
    ApiError, ErrorCode, OpenOnce, PageExtent, SessionPlace, SessionSnapshot, budget_of, check_view,
    open_once, read_budget, tools_of_user,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::asked::{BudgetAsked, log_asked, options_of};
use crate::error::{answer_unlocked, load_json, raise_error};
use crate::tables::SessionTables;

/// An opened session. It stays as it was when it was opened, even if its log grows.
#[pyclass(name = "Session", frozen, weakref, module = "cwl")]
pub(crate) struct PySession {
    opened: SessionSnapshot,
    /// The name that opened it.
    path: PathBuf,
    n_bytes: u64,
    /// The view shared by all questions; policy, options and budget come with each.
    view: ViewSettings,
}

/// Opens a log, a session in a database (`DATABASE#ID`), or a session by a name from `sessions`.
#[pyfunction]
#[pyo3(signature = (path, *, format = None, annotation = "auto", tokenizer = "provider", overhead = "auto", window = None, branch = None))]
#[allow(clippy::too_many_arguments)] // keywords of Python
pub(crate) fn open(
    py: Python<'_>,
    path: PathBuf,
    format: Option<&str>,
    annotation: &str,
    tokenizer: &str,
    overhead: &str,
    window: Option<u64>,
    branch: Option<String>,
) -> PyResult<PySession> {
    let view = ViewSettings {
        annotation: annotation.to_owned(),
        tokenizer: tokenizer.to_owned(),
        overhead: overhead.to_owned(),
        window,
        branch,
        ..ViewSettings::default()
    };
    let open = || -> Result<PySession, ApiError> {
        check_view(&view)?;
        let tools = tools_of_user();
        let once = OpenOnce {
            format,
            tools: &tools,
            data_dir: None,
            folders: Some(Vec::new()),
            progress: &|_, _| {},
        };
        let opened = open_once(&path, &once)?;
        let n_bytes = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        Ok(PySession { opened, path: path.clone(), n_bytes, view: view.clone() })
    };
    py.detach(open).map_err(|error| raise_error(py, error))
}

#[pymethods]
impl PySession {
    /// Returns the session's name, format, model, branches and problems, as in `cwl report --json`.
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        answer_unlocked(py, || commands::session(&self.opened))
    }

    /// Returns the episode graph.
    fn graph<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let request = self.ask_view("cwl", None, None)?;
        answer_unlocked(py, || commands::graph(&self.opened, &request))
    }

    /// Replays `policy` at `budget`: all request sizes, and the number of steps before each.
    #[pyo3(signature = (policy = "cwl", budget = None, **options))]
    fn replay<'py>(
        &self,
        py: Python<'py>,
        policy: &str,
        budget: Option<BudgetAsked>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = self.ask_view(policy, budget, options)?;
        answer_unlocked(py, || commands::replay(&self.opened, &request))
    }

    /// Measures `policy` at `budget`: cost, prompt cache, recall and reacquisition.
    #[pyo3(signature = (policy = "cwl", budget = None, **options))]
    fn measure<'py>(
        &self,
        py: Python<'py>,
        policy: &str,
        budget: Option<BudgetAsked>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = self.ask_view(policy, budget, options)?;
        answer_unlocked(py, || {
            let ViewSettings { policy, options, budget, window, .. } = &request.view;
            let budgets = BTreeSet::from([read_budget(budget, *window)?]);
            let asked = RunsAsked { policies: vec![PolicyAsked::parse(policy, options)?], budgets };
            commands::runs(&self.opened, &request, &[asked]).map(|runs| runs.into_iter().next())
        })
    }

    /// Returns the context before a turn's request, after the first `step` steps of its pass: as a request
    /// body in a provider's form, as `"text"`, or as `"list"` with every block and its reason.
    #[pyo3(signature = (turn = None, step = None, as_ = "anthropic", *, policy = "cwl", budget = None, **options))]
    #[allow(clippy::too_many_arguments)] // keywords of Python
    fn context<'py>(
        &self,
        py: Python<'py>,
        turn: Option<u32>,
        step: Option<u32>,
        as_: &str,
        policy: &str,
        budget: Option<BudgetAsked>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let ViewRequest { view, .. } = self.ask_view(policy, budget, options)?;
        let cut = ViewCut { turn, step };
        py.detach(|| commands::check_cut(&self.opened, &view, cut))
            .map_err(|error| raise_error(py, error))?;
        if as_ == "list" {
            return answer_unlocked(py, || {
                commands::context(&self.opened, &view, cut, true, PageExtent::IN_FULL)
            });
        }
        if as_ == "text" {
            let request = cwl_host::api::ContextTextRequest { view, cut };
            let text = py.detach(|| commands::context_text(&self.opened, &request));
            return Ok(PyString::new(py, &text.map_err(|error| raise_error(py, error))?.text).into_any());
        }
        let Some(provider) = Provider::ALL.iter().copied().find(|one| one.name() == as_) else {
            let forms: Vec<&str> = Provider::ALL.iter().map(|one| one.name()).collect();
            let error =
                ApiError::new(ErrorCode::BadRequest, format!("a context cannot be written as `{as_}`"));
            return Err(raise_error(
                py,
                error.with_hint(format!("write it as list, text, {}", forms.join(", "))),
            ));
        };
        let request = BodyRequest { view, cut, provider };
        let body =
            py.detach(|| commands::body(&self.opened, &request)).map_err(|error| raise_error(py, error))?;
        load_json(py, &body.json)
    }

    /// Lists the findings by `cwl lint`, under a policy and a budget.
    #[pyo3(signature = (policy = "cwl", budget = None, **options))]
    fn findings<'py>(
        &self,
        py: Python<'py>,
        policy: &str,
        budget: Option<BudgetAsked>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let request = self.ask_view(policy, budget, options)?;
        answer_unlocked(py, || commands::lint(&self.opened, &request).map(|found| found.findings))
    }

    /// Returns this session's rows in all corpus tables.
    #[pyo3(signature = (*, policy = "cwl", budget = None, runs = Vec::new(), texts = "hashed", key = None, **options))]
    #[allow(clippy::too_many_arguments)] // keywords of Python
    fn tables(
        &self,
        py: Python<'_>,
        policy: &str,
        budget: Option<BudgetAsked>,
        runs: Vec<String>,
        texts: &str,
        key: Option<&[u8]>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<SessionTables> {
        let view =
            ViewSettings { policy: policy.to_owned(), options: options_of(options)?, ..self.view.clone() };
        let asked = log_asked(py, view, budget, &runs, texts, key)?;
        let name = self.path.to_string_lossy();
        let made = py.detach(|| {
            let solved = SessionPlace { name: self.path.clone() }.outcome();
            let rows = rows_of_log(&self.opened, &name, self.n_bytes, solved, &asked)?;
            SessionTables::from_rows(rows)
        });
        made.map_err(|error| raise_error(py, error))
    }

    fn __repr__(&self) -> String {
        format!("<cwl.Session of {:?}>", self.path.display().to_string())
    }
}

impl PySession {
    fn ask_view(
        &self,
        policy: &str,
        budget: Option<BudgetAsked>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<ViewRequest> {
        let (budget, _) = budget_of(&self.opened, budget.map(BudgetAsked::into_text).as_deref());
        let (policy, options) = (policy.to_owned(), options_of(options)?);
        Ok(ViewRequest { view: ViewSettings { policy, budget, options, ..self.view.clone() } })
    }
}
