//! The tool class table.

use cwl_engine::AnswerForm;
use cwl_engine::ToolClass::{self, Delimiter, Other, Read, Search, Shell, Write};
use cwl_formats::{default_tool_sources, default_tools, parse_tools, tool_sources};

#[test]
fn the_default_table_knows_every_harness() {
    let tools = default_tools();
    let check = |names: &str, class: ToolClass| {
        for name in names.split(' ') {
            assert_eq!(tools.class_of(name), class, "{name}");
        }
    };
    check(
        "grep glob find ls Grep LS codesearch list search_file_content list_directory search_dir web_search WebSearch",
        Search,
    );
    check("read batch_read NotebookRead view_image read_many_files view open", Read);
    check(
        "bash exec process BashOutput shell exec_command write_stdin run_shell_command bash_command",
        Shell,
    );
    check("edit write MultiEdit NotebookEdit apply_patch patch replace str_replace_editor create", Write);
    check("delimiter mcp__cwl__delimiter Delimiter", Delimiter);
    check("WebFetch TodoWrite update_plan Task nobody_knows_this mcp__x__y", Other);
    assert!(tools.search_programs.contains("git grep"), "searches are known by program");
}

#[test]
fn a_users_table_goes_over_the_default_one() {
    let (tools, problems) =
        parse_tools("search_programs = ['ag']\n[mine]\nsearch = ['Sift']\nread = ['bash']");
    assert_eq!(problems, [""; 0], "nothing is odd");
    assert_eq!(
        (tools.class_of("sift"), tools.class_of("bash"), tools.class_of("read")),
        (Search, Read, Read)
    );
    assert!(
        tools.search_programs.contains("ag") && tools.search_programs.contains("rg"),
        "programs are added"
    );
}

#[test]
fn the_table_knows_the_tools_that_ask_the_human() {
    let (tools, problems) = parse_tools("[mine]\nanswers = ['Ask']");
    assert_eq!(problems, [""; 0], "nothing is odd");
    for name in ["ask", "AskUserQuestion", "request_user_input", "ask_user", "mcp__x__question"] {
        assert_eq!(tools.answer_of(name), Some(AnswerForm::Whole), "{name}");
    }
    assert_eq!(
        tools.answer_of("ExitPlanMode"),
        Some(AnswerForm::Told),
        "only of a plan that the human edited"
    );
    assert_eq!(tools.answer_of("bash"), None);
}

#[test]
fn every_harness_has_a_source_and_a_day() {
    let told = default_tool_sources();
    assert_eq!(told.len(), 15, "{told:?}");
    for one in &told {
        assert!(one.as_of.parse::<jiff::civil::Date>().is_ok() && !one.source.is_empty(), "{one:?}");
        assert!(one.n_names > 1, "{one:?}");
    }
    let own =
        "search_programs = ['ag']\n[mine]\nas_of = '2027-01-01'\nsource = 'my own'\nread = ['peek', 'look']";
    let (_, problems) = parse_tools(own);
    assert_eq!(problems, [""; 0], "a source is no class");
    let own = tool_sources(own);
    assert_eq!(own.len(), 1);
    assert_eq!((own[0].name.as_str(), own[0].n_names, own[0].source.as_str()), ("mine", 2, "my own"));
    assert_eq!(tool_sources("[mine"), []);
}

#[test]
fn odd_tables_are_used_as_far_as_they_go() {
    let check = |toml: &str, expected: &[&str]| {
        let (tools, problems) = parse_tools(toml);
        let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(shown, expected, "{toml}");
        assert_eq!(tools.class_of("grep"), Search, "the default stays");
    };
    check("", &[]);
    check("x = 1", &["`x` must hold lists of names; what is none is left out"]);
    check("[mine]\nread = 'x'", &["`mine.read` must hold lists of names; what is none is left out"]);
    check("[mine]\nread = ['x', 1, 2]", &["`mine.read` must hold lists of names; what is none is left out"]);
    check("search_programs = 1", &["`search_programs` must hold lists of names; what is none is left out"]);
    check(
        "[mine]\nbulk = ['x']",
        &["`mine.bulk` is no class; classes are search, read, shell, write, delimiter and other"],
    );
    check("[mine]\nsource = 1", &["`mine.source` must be a text"]);
    check("[a]\nread = ['x']\n[b]\nshell = ['X']", &["`x` has two classes; the one under `b` wins"]);
    let (tools, problems) = parse_tools("[mine");
    assert_eq!((tools, problems.len()), (default_tools(), 1), "what is no TOML changes nothing");
    assert!(problems[0].to_string().starts_with("the tool table is not TOML"), "{}", problems[0]);
}
