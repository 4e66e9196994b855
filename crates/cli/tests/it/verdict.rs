//! The verdict on a session: one sentence, word for word, wherever it stands.

use serde_json::Value;

use crate::common::{Cwl, sample};

/// Every place that tells the verdict on a log: the command, and whether it prints JSON.
const PLACES: [&[&str]; 8] = [
    &["report"],
    &["report", "--json", "--policy", "summary"],
    &["compare", "--policies", "none,window@9k", "--budget", "6k"],
    &["compare", "--policies", "cwl", "--by", "reacquired", "--sort", "cost", "--json"],
    &["compare", "--view", "frontier", "--policies", "cwl,mask"],
    &["compare", "--view", "frontier", "--policies", "mask", "--by", "reacquired", "--json"],
    &["sweep", "--budgets", "7k"],
    &["sweep", "--budgets", "7k,9k", "--beside", "mask", "--by", "probes", "--json"],
];

#[track_caller]
fn check(name: &str, outcome: &str) {
    let cwl = Cwl::new();
    let log = sample(name);
    let mut told: Vec<Value> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for place in PLACES {
        let (command, args) = place.split_first().unwrap();
        let text = cwl.ok(&[&[*command, &log], args].concat());
        if place.contains(&"--json") {
            told.push(serde_json::from_str::<Value>(&text).unwrap()["verdict"].clone());
        } else {
            texts.push(text);
        }
    }
    let [first, others @ ..] = told.as_slice() else { panic!("no JSON") };
    assert_eq!(first["outcome"], outcome, "{}", first["says"]);
    others.iter().for_each(|other| assert_eq!(other, first));
    for sentence in [&first["says"], &first["scope"]["says"]] {
        let sentence = sentence.as_str().unwrap();
        let n_places = texts.iter().filter(|text| text.contains(sentence)).count();
        assert_eq!(n_places, 4, "report and all views of compare say: {sentence}");
    }
}

mod slow {
    #[test]
    fn all_places_give_one_verdict_on_the_long_sample() {
        super::check("long", "better");
    }
}

#[test]
fn all_places_give_one_verdict_on_a_sample_on_which_cwl_is_worse() {
    check("forgotten", "worse");
}
