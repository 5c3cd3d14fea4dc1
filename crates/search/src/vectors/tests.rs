use super::*;

const MODEL: &str = "small/int8/1";

fn key(number: u8) -> ChunkKey {
    [number; 16]
}

fn appended(path: &Path, model: &str, vectors: &[(u8, [f32; 3])]) {
    let mut appender = Appender::open(path, model, 3).unwrap();
    for (number, vector) in vectors {
        appender.add(key(*number), vector).unwrap();
    }
    appender.flush().unwrap();
}

/// The keys by nearness to a vector, with rounded scores.
fn ranked(path: &Path, vector: [f32; 3], count: usize) -> Vec<(u8, String)> {
    let mut ranked = Vectors::read(path, MODEL, 3).unwrap().ranked(&vector);
    ranked.nearest(count).iter().map(|(score, key)| (key[0], format!("{score:.2}"))).collect()
}

fn found(list: &[(u8, &str)]) -> Vec<(u8, String)> {
    list.iter().map(|(number, score)| (*number, (*score).to_owned())).collect()
}

#[test]
fn the_nearest_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/small.vectors");
    assert_eq!(ranked(&path, [1.0, 0.0, 0.0], 9), []);
    appended(
        &path,
        MODEL,
        &[(1, [0.0, 1.0, 0.0]), (2, [0.6, 0.8, 0.0]), (3, [-1.0, 0.0, 0.0]), (4, [1.0, 0.0, 0.0])],
    );
    assert_eq!(ranked(&path, [1.0, 0.0, 0.0], 2), found(&[(4, "1.00"), (2, "0.60")]));
    assert_eq!(
        ranked(&path, [1.0, 0.0, 0.0], 9),
        found(&[(4, "1.00"), (2, "0.60"), (1, "0.00"), (3, "-1.00")])
    );
    let mut all = Vectors::read(&path, MODEL, 3).unwrap().ranked(&[1.0, 0.0, 0.0]);
    let steps: Vec<Vec<u8>> =
        (1..=4).map(|count| all.nearest(count).iter().map(|(_, key)| key[0]).collect()).collect();
    assert_eq!(steps, [vec![4], vec![4, 2], vec![4, 2, 1], vec![4, 2, 1, 3]]);
}

#[test]
fn a_vector_is_added_once_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.vectors");
    appended(&path, MODEL, &[(1, [1.0, 0.0, 0.0]), (1, [0.0, 1.0, 0.0])]);
    appended(&path, MODEL, &[(1, [0.0, 1.0, 0.0]), (2, [0.0, 0.0, 1.0])]);
    assert_eq!(ranked(&path, [1.0, 0.0, 0.0], 9), found(&[(1, "1.00"), (2, "0.00")]));
    assert!(Appender::open(&path, MODEL, 3).unwrap().has(&key(2)));
}

#[test]
fn a_torn_record_is_ignored_and_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.vectors");
    appended(&path, MODEL, &[(1, [1.0, 0.0, 0.0])]);
    let whole = fs::read(&path).unwrap();
    for torn in 1..record_size(3) {
        fs::write(&path, [&whole[..], &vec![7; torn]].concat()).unwrap();
        assert_eq!(ranked(&path, [1.0, 0.0, 0.0], 9), found(&[(1, "1.00")]));
        appended(&path, MODEL, &[(2, [0.0, 1.0, 0.0])]);
        assert_eq!(ranked(&path, [1.0, 0.0, 0.0], 9), found(&[(1, "1.00"), (2, "0.00")]));
    }
    for torn in 0..HEADER {
        fs::write(&path, &whole[..torn]).unwrap();
        assert_eq!(ranked(&path, [1.0, 0.0, 0.0], 9), []);
        appended(&path, MODEL, &[(2, [1.0, 0.0, 0.0])]);
        assert_eq!(ranked(&path, [1.0, 0.0, 0.0], 9), found(&[(2, "1.00")]));
    }
}

#[test]
fn vectors_of_another_model_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.vectors");
    appended(&path, "large/f32/1", &[(1, [1.0, 0.0, 0.0])]);
    assert_eq!(ranked(&path, [1.0, 0.0, 0.0], 9), []);
    assert!(Vectors::read(&path, MODEL, 4).unwrap().is_empty());
    appended(&path, MODEL, &[(2, [0.0, 1.0, 0.0])]);
    assert_eq!(ranked(&path, [1.0, 0.0, 0.0], 9), found(&[(2, "0.00")]));
}

#[test]
fn vectors_of_chunks_that_are_gone_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.vectors");
    appended(&path, MODEL, &[(1, [1.0, 0.0, 0.0]), (2, [0.0, 1.0, 0.0]), (3, [0.0, 0.0, 1.0])]);
    assert_eq!(compact(&path, MODEL, 3, &|key| key[0] != 2).unwrap(), 1);
    assert_eq!(ranked(&path, [1.0, 0.0, 0.0], 9), found(&[(1, "1.00"), (3, "0.00")]));
    assert_eq!(compact(&path, MODEL, 3, &|_| true).unwrap(), 0);
}

/// What is killed within a batch loses that batch; what stays is whole.
#[test]
fn batches_are_written_as_they_fill() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.vectors");
    let mut appender = Appender::open(&path, MODEL, 3).unwrap();
    for number in 0..200u8 {
        appender.add(key(number), &[1.0, 0.0, 0.0]).unwrap();
    }
    assert_eq!(Vectors::read(&path, MODEL, 3).unwrap().len(), 3 * BATCH);
    appender.flush().unwrap();
    assert_eq!(Vectors::read(&path, MODEL, 3).unwrap().len(), 200);
}

/// A power failure can leave zeros, and a damaged disk anything.
#[test]
fn any_record_can_be_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.vectors");
    appended(&path, MODEL, &[(1, [1.0, 0.0, 0.0]), (2, [0.0; 3])]);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], &[0; 23], &[0xff; 23]].concat()).unwrap();
    assert_eq!(
        ranked(&path, [1.0, 0.0, 0.0], 9),
        found(&[(1, "1.00"), (0, "0.00"), (2, "0.00"), (255, "0.00")])
    );
}
