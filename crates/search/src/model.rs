//! The model: from a text to a vector of length 1, so that the product of two vectors says how near two texts are.

use std::path::Path;
use std::sync::Arc;

use rten::{ModelOptions, NodeId, RunOptions, ThreadPool, op_registry};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use crate::convert::{DIMENSION, GRAPH_FILE, IDS, OUTPUT, POSITIONS};
use crate::wordpiece::{Tokenizer, VocabularyError};

pub const VOCABULARY_FILE: &str = "vocab.txt";

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("cannot read {path}: {source}")]
    Read { path: String, source: std::io::Error },
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    #[error("the runtime cannot load the model: {0}")]
    Load(String),
    #[error("the runtime cannot run the model: {0}")]
    Run(String),
}

/// What a model is loaded for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// One text, as soon as possible.
    Query,
    /// Many texts: weights are arranged for the processor first.
    Index,
}

/// A loaded model.
pub struct Model {
    runtime: rten::Model,
    tokenizer: Tokenizer,
    ids: NodeId,
    positions: NodeId,
    output: NodeId,
}

impl Model {
    /// Loads the model in a folder.
    pub fn open(folder: &Path, purpose: Purpose) -> Result<Self, ModelError> {
        let path = folder.join(VOCABULARY_FILE);
        let vocabulary = std::fs::read_to_string(&path)
            .map_err(|source| ModelError::Read { path: path.display().to_string(), source })?;
        let tokenizer = Tokenizer::new(&vocabulary)?;
        let runtime = load(&folder.join(GRAPH_FILE), purpose)?;
        let node = |name| runtime.node_id(name).map_err(|error| ModelError::Load(error.to_string()));
        let [ids, positions, output] = [node(IDS)?, node(POSITIONS)?, node(OUTPUT)?];
        Ok(Self { runtime, tokenizer, ids, positions, output })
    }

    /// The vector of a text.
    pub fn embed(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        self.run(text, None)
    }

    fn run(&self, text: &str, threads: Option<Arc<ThreadPool>>) -> Result<Vec<f32>, ModelError> {
        let ids: Vec<i32> = self.tokenizer.encode(text).into_iter().map(u32::cast_signed).collect();
        let positions: Vec<i32> = (0i32..).take(ids.len()).collect();
        let inputs = vec![
            (self.ids, NdTensor::from_data([ids.len()], ids).into()),
            (self.positions, NdTensor::from_data([positions.len()], positions).into()),
        ];
        let failed = |error: String| ModelError::Run(error);
        let options = threads.map(|threads| RunOptions::default().with_thread_pool(Some(threads)));
        let [hidden] =
            self.runtime.run_n(inputs, [self.output], options).map_err(|error| failed(error.to_string()))?;
        let hidden: Tensor<f32> = hidden.try_into().map_err(|_| failed("it gives no numbers".to_owned()))?;
        pooled(&hidden.to_vec()).ok_or_else(|| failed("it gives vectors of another size".to_owned()))
    }
}

/// The mean of the tokens' vectors, scaled to length 1.
fn pooled(hidden: &[f32]) -> Option<Vec<f32>> {
    let (tokens, rest) = hidden.as_chunks::<DIMENSION>();
    if tokens.is_empty() || !rest.is_empty() {
        return None;
    }
    let mut vector = vec![0.0; DIMENSION];
    for token in tokens {
        for (sum, number) in vector.iter_mut().zip(token) {
            *sum += number;
        }
    }
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    for number in &mut vector {
        *number /= length;
    }
    Some(vector)
}

/// Maps the files of the model into memory: reading 23 MB costs more than a query.
#[allow(unsafe_code, reason = "mapping a file is unsafe because another process may shorten it")]
fn load(graph: &Path, purpose: Purpose) -> Result<rten::Model, ModelError> {
    let operators = op_registry!(
        Abs,
        Add,
        Cast,
        Div,
        DynamicQuantizeLinear,
        Gather,
        Gelu,
        LayerNormalization,
        MatMul,
        MatMulInteger,
        Mul,
        ReduceMax,
        Reshape,
        Softmax,
        Split,
        Transpose
    );
    let mut options = ModelOptions::with_ops(operators);
    options.prepack_weights(purpose == Purpose::Index);
    // SAFETY: the files are written once, under another name, and then renamed; the engine replaces them by rename and
    // never writes to them again, so no process of ours shortens a mapped file.
    unsafe { options.load_mmap(graph) }.map_err(|error| ModelError::Load(error.to_string()))
}
