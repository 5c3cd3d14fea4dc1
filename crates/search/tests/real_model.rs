//! The published model against vectors and token ids that the reference made: the reference tokenizer, and the model in
//! 64-bit floats without any runtime.

#![allow(clippy::unwrap_used, reason = "a test may stop")]
#![allow(clippy::cast_precision_loss, reason = "ten texts")]

use std::fs;
use std::path::Path;

use engine_search::convert::Precision;
use engine_search::model::{Model, Purpose};
use engine_search::package::{changed, install, installed, published, remove};
use engine_search::wordpiece::Tokenizer;
use engine_testkit::embeddings;
use serde::de::DeserializeOwned;

fn reference<T: DeserializeOwned>(name: &str) -> Vec<(String, T)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name);
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn model_in(folder: &Path, precision: Precision) -> Model {
    install(&published(&embeddings::require()).unwrap(), folder, precision).unwrap();
    Model::open(folder, Purpose::Query).unwrap()
}

#[test]
#[ignore = "needs the embedding model: cargo xtask test"]
fn exact_vectors_are_those_of_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let model = model_in(&folder.path().join("model"), Precision::F32);
    for (text, wanted) in reference::<Vec<f32>>("vectors.jsonl") {
        let vector = model.embed(&text).unwrap();
        let most =
            vector.iter().zip(&wanted).fold(0.0f32, |most, (one, other)| most.max((one - other).abs()));
        assert!(most < 1e-4, "{text:?} differs by {most}");
    }
}

#[test]
#[ignore = "needs the embedding model: cargo xtask test"]
fn rounded_vectors_are_near_those_of_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let model = model_in(&path, Precision::Int8);
    let for_index = Model::open(&path, Purpose::Index).unwrap();
    let all = reference::<Vec<f32>>("vectors.jsonl");
    let mut sum = 0.0;
    for (text, wanted) in &all {
        let vector = model.embed(text).unwrap();
        assert_eq!(vector, model.embed(text).unwrap(), "{text:?} twice");
        assert!(cosine(&vector, &for_index.embed(text).unwrap()) > 0.9999, "{text:?} for an index");
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-5, "{text:?}");
        let cosine = cosine(&vector, wanted);
        // Two marks without a word are the worst.
        assert!(cosine > 0.97, "{text:?} has {cosine}");
        sum += cosine;
    }
    let mean = sum / all.len() as f32;
    assert!(mean >= 0.995, "the mean is {mean}");

    let manifest = installed(&path).unwrap();
    assert_eq!(changed(&path, &manifest), Vec::<String>::new());
    assert!(path.join("LICENSE").is_file() && path.join("NOTICE").is_file());
    assert!(remove(&path).unwrap());
    assert_eq!(model.embed("still loaded").unwrap().len(), 384);
}

/// The whole table of nasty Unicode; once, 1.16 million texts were compared in the same way, without a difference.
#[test]
#[ignore = "needs the embedding model: cargo xtask test"]
fn tokens_are_those_of_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    install(&published(&embeddings::require()).unwrap(), &path, Precision::Int8).unwrap();
    let tokenizer = Tokenizer::new(&fs::read_to_string(path.join("vocab.txt")).unwrap()).unwrap();
    assert_eq!(tokenizer.len(), 30_522);
    for (text, ids) in reference::<Vec<u32>>("ids.jsonl") {
        assert_eq!(tokenizer.encode(&text), ids, "{text:?}");
    }
}
