//! Makes the model that the runtime loads from the weights as they are published.
//!
//! Published is one `model.safetensors` of 32-bit floats. The runtime loads ONNX and reads no other format, and no package
//! has the model so. The graph is the same for everyone, so it is written here ([`graph`]); the weights go to a file of
//! their own beside it, which is mapped into memory and never parsed.
//!
//! Weights are transposed once, so that a product reads them in order, and are rounded to 8 bits ([`Precision::Int8`]):
//! a quarter of the size, and twice the speed where the processor multiplies bytes. A scale for each column keeps the
//! vectors within a cosine of 0.995 of the exact ones.

mod graph;
mod protobuf;
mod safetensors;
mod weights;

pub use graph::{DATA_FILE, DIMENSION, GRAPH_FILE, IDS, OUTPUT, POSITIONS};
pub use safetensors::SafetensorsError;

/// How the weights of a product are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// As published. Only for comparing: four times as large.
    F32,
    Int8,
}

/// The two files of a model.
pub struct Converted {
    pub graph: Vec<u8>,
    pub data: Vec<u8>,
}

/// Converts the content of a `model.safetensors` of all-MiniLM-L6-v2.
pub fn convert(safetensors: &[u8], precision: Precision) -> Result<Converted, SafetensorsError> {
    let tensors = safetensors::Tensors::read(safetensors)?;
    graph::write(&tensors, precision)
}
