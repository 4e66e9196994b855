//! `cwl policies`, `cwl formats`, `cwl models` and `cwl branches`: lists what these options accept.

use std::cmp::Reverse;

use cwl_host::api::{
    BranchesAnswer, Document, FormatsAnswer, ModelRow, ModelsAnswer, OptionRow, PolicyFamily, PolicyRow,
    ViewSettings,
};
use cwl_host::api::{schema_names, schema_of};
use cwl_host::{budget_of, commands, with_commas};
use owo_colors::Style;

use super::report::print_title;
use crate::args::{BranchesArgs, BranchesSort, ModelsArgs, ModelsSort, PoliciesArgs, PrintArgs, SchemaArgs};
use crate::out::{Failure, Stdout, clean_text, keep_first, paint_text, say_first, warn_user};
use crate::table;

pub(crate) fn print_policies(args: &PoliciesArgs, out: &mut Stdout) -> Result<(), Failure> {
    let found = commands::policies(args.name.as_deref())?;
    if args.json {
        return out.write_json(&Document::new(found));
    }
    match (&args.name, found.policies.as_slice()) {
        (Some(_), [policy]) => one_policy(policy, out),
        (_, policies) => {
            for of_family in policies.chunk_by(|one, other| one.family == other.family) {
                print_title(family_name(of_family[0].family), out)?;
                let mut rows = table::begin_table(&["policy", "in plain words", "what it does"]);
                for policy in of_family {
                    rows.add_row([&policy.name, &policy.plain, &policy.about]);
                }
                table::print_table(&rows, out)?;
            }
            warn_user("`cwl policies NAME` lists the options of one, with their defaults");
            Ok(())
        }
    }
}

fn one_policy(policy: &PolicyRow, out: &mut Stdout) -> Result<(), Failure> {
    out.write_line(format!(
        "{} ({}): {}",
        paint_text(&policy.name, Style::new().bold()),
        policy.plain,
        policy.about
    ))?;
    out.write_line(format!("from: {}", policy.source))?;
    for (what, common) in [("Its options, as in --set KEY=VALUE", false), ("Options of every policy", true)] {
        let options: Vec<_> = policy.options.iter().filter(|option| option.common == common).collect();
        if options.is_empty() {
            continue;
        }
        print_title(what, out)?;
        let mut rows = table::begin_table(&["option", "values", "default", "what it does"]);
        for option in options {
            rows.add_row([&option.key, &option.values, &option.default, &option_meaning(option)]);
        }
        table::print_table(&rows, out)?;
    }
    Ok(())
}

fn option_meaning(option: &OptionRow) -> String {
    let sentence = option.sentence.replace("{}", &format!("<{}>", option.key));
    if option.about.is_empty() { sentence } else { format!("{sentence}: {}", option.about) }
}

fn family_name(family: PolicyFamily) -> &'static str {
    match family {
        PolicyFamily::Paper => "This paper",
        PolicyFamily::Compaction => "Compaction",
        PolicyFamily::Clearing => "Clearing",
        PolicyFamily::Baseline => "Baselines",
    }
}

pub(crate) fn print_formats(args: &PrintArgs, out: &mut Stdout) -> Result<(), Failure> {
    let found = commands::formats();
    if args.json {
        return out.write_json(&Document::new(found));
    }
    let FormatsAnswer { formats, folders, unread } = &found;
    let mut rows = table::begin_table(&["format", "written by"]);
    for format in formats {
        rows.add_row([&format.name, &format.about]);
    }
    table::print_table(&rows, out)?;
    print_title("Folders that are searched", out)?;
    let mut rows = table::begin_table(&["harness", "there", "folder"]);
    for folder in folders {
        let is_there = if folder.is_there { "yes" } else { "no" };
        rows.add_row([folder.harness.as_str(), is_there, &clean_text(&folder.path)]);
    }
    table::print_table(&rows, out)?;
    print_title("Recognised, and not read yet", out)?;
    unread.iter().try_for_each(|name| out.write_line(name))
}

pub(crate) fn print_models(args: &ModelsArgs, out: &mut Stdout) -> Result<(), Failure> {
    let mut found = commands::models(args.name.as_deref());
    say_first(found.problems.iter().cloned(), " odd entries");
    match args.sort {
        ModelsSort::Table => {}
        ModelsSort::Name => found.models.sort_by(|one, other| one.name.cmp(&other.name)),
        ModelsSort::Window => found.models.sort_by_key(|model| Reverse(model.window)),
    }
    keep_first(&mut found.models, args.limit);
    if args.json {
        return out.write_json(&Document::new(found));
    }
    let ModelsAnswer { models, default, own_file, .. } = &mut found;
    if models.is_empty() {
        return out.write_line(match default {
            Some(default) => format!("no row fits; such a model is priced as {default}"),
            None => "no row fits; such a model has no price".to_owned(),
        });
    }
    let mut rows =
        table::begin_table(&["model", "#window", "#input", "#cached", "#written", "#output", "as of"]);
    for ModelRow { name, window, prices, as_of, .. } in models.iter() {
        rows.add_row([
            name.clone(),
            window.map_or_else(|| "?".to_owned(), with_commas),
            prices.input.clone(),
            prices.cache_read.clone(),
            prices.cache_write.clone(),
            prices.output.clone(),
            as_of.clone(),
        ]);
    }
    table::print_table(&rows, out)?;
    if let [model] = models.as_slice() {
        out.write_line("")?;
        print_details(model, out)?;
    }
    let own = own_file.as_ref().map(|file| format!("; your own rows: {file}")).unwrap_or_default();
    let default = match default {
        Some(default) => format!("is priced as {default}"),
        None => "has no price".to_owned(),
    };
    warn_user(&format!("list prices in dollars per million tokens; a model of no row {default}{own}"));
    Ok(())
}

fn print_details(model: &ModelRow, out: &mut Stdout) -> Result<(), Failure> {
    out.write_line(format!("names in logs: {}", model.models.join(", ")))?;
    if let (Some(above), Some(long)) = (model.long_above, &model.long) {
        let (input, output) = (&long.input, &long.output);
        out.write_line(format!(
            "prompts above {} tokens: {input} input, {output} output",
            with_commas(above)
        ))?;
    }
    let lifetime = match model.cache_lifetime {
        0 => "for ever".to_owned(),
        seconds => format!("for {} seconds", with_commas(seconds)),
    };
    out.write_line(format!(
        "its cache: prompts from {} tokens on, in steps of {}, kept {lifetime}",
        with_commas(model.cache_minimum),
        with_commas(model.cache_granularity)
    ))?;
    out.write_line(format!("source: {}", model.source))
}

pub(crate) fn print_branches(args: &BranchesArgs, out: &mut Stdout) -> Result<(), Failure> {
    let opened = args.input.load_log()?;
    let mut found = commands::branches(&opened)?;
    match args.sort {
        BranchesSort::Current => {}
        BranchesSort::Newest => found.branches.sort_by_key(|branch| Reverse(branch.line)),
        BranchesSort::Messages => found.branches.sort_by_key(|branch| Reverse(branch.n_messages)),
    }
    let n_all = found.branches.len();
    keep_first(&mut found.branches, args.limit);
    if args.json {
        // Branches do not depend on a view, so defaults are shown.
        let (budget, source) = budget_of(&opened, None);
        let view = ViewSettings { budget, ..ViewSettings::default() };
        return out.write_json(&Document::new(found).with_about(commands::about(&opened, &view, source)?));
    }
    let BranchesAnswer { branches } = &found;
    let mut rows = table::begin_table(&["branch", "#messages", "#line", "", "the last thing asked"]);
    for branch in branches {
        let what = match (branch.current, branch.subagent) {
            (true, _) => "current",
            (_, true) => "subagent",
            (false, false) => "",
        };
        rows.add_row([
            clean_text(&branch.leaf),
            with_commas(branch.n_messages.into()),
            with_commas(branch.line),
            what.to_owned(),
            clean_text(&branch.text),
        ]);
    }
    table::print_table(&rows, out)?;
    if n_all > 1 {
        warn_user("--branch BRANCH shows another one, in every command");
    }
    Ok(())
}

pub(crate) fn print_schema(args: &SchemaArgs, out: &mut Stdout) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        return schema_names().into_iter().try_for_each(|name| out.write_line(name));
    };
    let schema = schema_of(name).ok_or_else(|| {
        Failure::Said(format!(
            "there is no schema `{}`; there are {}",
            clean_text(name),
            schema_names().join(", ")
        ))
    })?;
    serde_json::to_writer_pretty(out.writer(), &schema).map_err(std::io::Error::from)?;
    out.write_line("")
}
