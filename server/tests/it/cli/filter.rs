//! `callboard tasks --filter`: the grammar on the command line, and its refusals.

use super::stage::Stage;

#[test]
fn a_list_is_narrowed_by_a_filter() {
    let stage = Stage::new();
    let bug = stage.add("Mend the leak", &["--type", "bug", "--priority", "0", "--label", "hull"]);
    stage.add("Paint the buoys", &["--label", "hull"]);
    let listed = |filter: &str| {
        let document = stage.run(&["tasks", "--filter", filter, "--json"]).json();
        document["items"].as_array().unwrap().iter().map(|card| card["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed("type = bug"), ["Mend the leak"]);
    assert_eq!(listed("labels has any [hull] and not priority = 0"), ["Paint the buoys"]);
    assert_eq!(listed("stale_days >= 3"), Vec::<String>::new());
    let both = stage.run(&["tasks", "list", "--label", "hull", "--filter", &format!("id = {bug}"), "--json"]).json();
    assert_eq!(both["total"], 1);
}

#[test]
fn a_faulty_filter_is_refused_with_every_fault_at_its_place() {
    let stage = Stage::new();
    insta::assert_snapshot!(stage.said(&["tasks", "--filter", "typ = bug and priority = high"]), @r#"
    ! error: filter, character 1: there is no field typ (bad_request)
    !   filter[1..3]: E_FIELD: there is no field typ; did you mean type?
    !   filter[26..29]: E_VALUE: priority can't be "high"; a whole number
    ! hint: did you mean type?
    exit 2
    "#);
}
