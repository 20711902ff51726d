//! `taisai replay` on files that the simulator writes.

use data_encoding::HEXLOWER;
use taisai_lab::torture::write_replay;

use crate::common::taisai;

#[test]
fn replay_ends_in_the_state_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let hash = HEXLOWER.encode(&write_replay(&folder.join("run.replay"), "tai-sai", "E", 30).unwrap());

    let (status, lines, _) = taisai(folder, &["replay", "run.replay"]);
    assert_eq!(status, Some(0));
    assert!(lines.trim_end().ends_with(&format!("final state {hash}, as the run ended")), "{}", lines.len());
    let entries = lines.lines().count() - 1;

    let (status, json, _) = taisai(folder, &["replay", "run.replay", "--json"]);
    assert_eq!((status, json.lines().count()), (Some(0), entries + 1));
    let steps: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(steps[entries]["final_state"], hash);
    assert!(
        steps[entries - 1]["round"].as_u64() >= Some(30),
        "a void round may end within the step that opens the next"
    );

    let at = (entries / 2).to_string();
    let (status, one, _) = taisai(folder, &["replay", "run.replay", "--json", "--at", &at]);
    assert_eq!(status, Some(0));
    let one: serde_json::Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one, steps[entries / 2 - 1], "as in the list");
    let (status, printed, _) = taisai(folder, &["replay", "run.replay", "--at", &at]);
    assert!(status == Some(0) && printed.contains("layout E") && printed.contains("On the layout"), "{printed}");
}

#[test]
fn damaged_file_is_refused_with_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_replay(&folder.join("run.replay"), "sic-bo-etg", "A", 5).unwrap();
    let good = std::fs::read(folder.join("run.replay")).unwrap();
    let check = |bytes: &[u8], expected: &str| {
        std::fs::write(folder.join("bad.replay"), bytes).unwrap();
        let (_, printed, error) = taisai(folder, &["replay", "bad.replay"]);
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(printed.is_empty(), "{expected}: {printed}");
    };
    check(b"", "bad.replay: byte 0: this is no replay file");
    check(&good[..good.len() - 40], "the file is cut off");
    check(&good[..good.len() - 1], &format!("byte {}: the file is cut off", good.len() - 32));
    check(&[&good[..], b"!"].concat(), &format!("byte {}: the file goes on after its end", good.len()));
    let mut newer = good.clone();
    newer[14] = 9;
    check(&newer, "byte 14: form 9 of replay files is not known");
    let mut header = good.clone();
    header[25] = b'!';
    check(&header, "byte 15: the header is damaged");

    // A final state that differs from the run's is reported, with exit status 1.
    let mut other = good.clone();
    *other.last_mut().unwrap() ^= 1;
    std::fs::write(folder.join("other.replay"), other).unwrap();
    let (status, printed, _) = taisai(folder, &["replay", "other.replay"]);
    assert_eq!(status, Some(1));
    assert!(printed.contains("the run ended in"), "{}", printed.len());
    let (status, _, error) = taisai(folder, &["replay", "run.replay", "--at", "1000000"]);
    assert!(status == Some(2) && error.contains("entries, not 1000000"), "{error}");
}

#[test]
fn run_of_several_nodes_is_left_to_the_lab() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{}{{}}", taisai::replay::SIMULATOR_RUN);
    std::fs::write(folder.path().join("torture-1.run"), text).unwrap();
    let (status, printed, error) = taisai(folder.path(), &["replay", "torture-1.run"]);
    assert!(status == Some(2) && printed.is_empty(), "{status:?} {printed}");
    assert!(error.contains("step through it with taisai-lab replay torture-1.run"), "{error}");
}
