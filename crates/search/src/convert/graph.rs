//! The graph of the model: BERT with six layers, for one text at a time.
//!
//! One text and not a batch: a batch needs padding and a mask, and rounding to 8 bits looks at all numbers of a batch, so
//! the vector of a text would depend on the texts beside it. A chunk is long enough to keep the processor busy.

use super::protobuf::Message;
use super::safetensors::{SafetensorsError, Tensors};
use super::weights::{Matrix, rounded, transposed};
use super::{Converted, Precision};
use crate::wordpiece::LONGEST;

pub const GRAPH_FILE: &str = "model.onnx";
/// The runtime opens no other ending than this.
pub const DATA_FILE: &str = "model.onnx.data";

/// Numbers of a vector.
pub const DIMENSION: usize = 384;
pub const IDS: &str = "ids";
pub const POSITIONS: &str = "positions";
pub const OUTPUT: &str = "hidden";

const VOCABULARY: usize = 30_522;
const LAYERS: usize = 6;
/// The shapes of twelve heads of 32 numbers, and of their joined numbers; -1 is the number of tokens.
const HEADS_APART: [i64; 3] = [-1, 12, 32];
const HEADS_JOINED: [i64; 2] = [-1, 384];
/// One by the root of 32.
const QUERY_FACTOR: f32 = 0.176_776_7;
const INNER: usize = 1536;
/// Positions in the published table; the model reads the first [`LONGEST`].
const PUBLISHED_POSITIONS: usize = 512;
const EPSILON: f32 = 1e-12;
/// Each tensor of the data begins at a multiple of this, a line of the processor's cache.
const ALIGNMENT: usize = 64;

const FLOAT: u64 = 1;
const INT8: u64 = 3;
const INT32: u64 = 6;
const INT64: u64 = 7;

pub(super) fn write(tensors: &Tensors<'_>, precision: Precision) -> Result<Converted, SafetensorsError> {
    let mut graph = Graph {
        tensors,
        precision,
        nodes: Vec::new(),
        initializers: Vec::new(),
        data: Vec::new(),
        values: 0,
    };
    graph.numbers("last", &[-1]);
    graph.embeddings()?;
    let mut hidden = "embedded".to_owned();
    for layer in 0..LAYERS {
        let output = if layer + 1 == LAYERS { OUTPUT.to_owned() } else { format!("layer.{layer}") };
        graph.layer(layer, &hidden, &output)?;
        hidden = output;
    }
    Ok(graph.finish())
}

/// An attribute of a node.
enum Attribute<'a> {
    Integer(&'a str, i64),
    Float(&'a str, f32),
    Integers(&'a str, &'a [i64]),
}

struct Graph<'t> {
    tensors: &'t Tensors<'t>,
    precision: Precision,
    nodes: Vec<Message>,
    initializers: Vec<Message>,
    data: Vec<u8>,
    /// How many values have a name by their number.
    values: usize,
}

impl Graph<'_> {
    /// Word, position and kind of text, added and normalised. There is one kind of text here, so it is added to the
    /// positions beforehand.
    fn embeddings(&mut self) -> Result<(), SafetensorsError> {
        let words = self.tensors.floats("embeddings.word_embeddings.weight", &[VOCABULARY, DIMENSION])?;
        let words = Matrix { rows: VOCABULARY, columns: DIMENSION, numbers: words };
        let kinds = self.tensors.floats("embeddings.token_type_embeddings.weight", &[2, DIMENSION])?;
        let mut positions = self
            .tensors
            .floats("embeddings.position_embeddings.weight", &[PUBLISHED_POSITIONS, DIMENSION])?;
        positions.truncate(LONGEST * DIMENSION);
        for (place, number) in positions.iter_mut().enumerate() {
            *number += kinds[place % DIMENSION];
        }
        let word = match self.precision {
            Precision::F32 => {
                self.floats("words", &[VOCABULARY, DIMENSION], &words.numbers);
                self.step("Gather", &["words", IDS], &[Attribute::Integer("axis", 0)])
            }
            Precision::Int8 => {
                let words = rounded(&words);
                self.integers("words", &[VOCABULARY, DIMENSION], &words.numbers);
                self.floats("words.scale", &[VOCABULARY, 1], &words.scales);
                let word = self.step("Gather", &["words", IDS], &[Attribute::Integer("axis", 0)]);
                let word = self.step("Cast", &[&word], &[Attribute::Integer("to", FLOAT.cast_signed())]);
                let scale = self.step("Gather", &["words.scale", IDS], &[Attribute::Integer("axis", 0)]);
                self.step("Mul", &[&word, &scale], &[])
            }
        };
        self.floats("positions.table", &[LONGEST, DIMENSION], &positions);
        let position = self.step("Gather", &["positions.table", POSITIONS], &[Attribute::Integer("axis", 0)]);
        let sum = self.step("Add", &[&word, &position], &[]);
        self.normalised("embeddings.LayerNorm", &sum, "embedded")
    }

    fn layer(&mut self, layer: usize, hidden: &str, output: &str) -> Result<(), SafetensorsError> {
        let base = format!("encoder.layer.{layer}");
        let joined = self.attention_input(&base)?;
        let joined = self.product(&format!("{base}.attention"), hidden, &joined)?;
        let parts = [(); 3].map(|()| self.new_value());
        let names: Vec<&str> = parts.iter().map(String::as_str).collect();
        self.node(
            "Split",
            &[&joined],
            &names,
            &[Attribute::Integer("axis", 1), Attribute::Integer("num_outputs", 3)],
        );
        let [query, key, value] =
            [(0, &[1, 0, 2]), (1, &[1, 2, 0]), (2, &[1, 0, 2])].map(|(part, order): (usize, &[i64; 3])| {
                let heads = self.reshaped(&parts[part], &HEADS_APART);
                self.step("Transpose", &[&heads], &[Attribute::Integers("perm", order)])
            });
        let scores = self.step("MatMul", &[&query, &key], &[]);
        let shares = self.step("Softmax", &[&scores], &[Attribute::Integer("axis", -1)]);
        let mixed = self.step("MatMul", &[&shares, &value], &[]);
        let mixed = self.step("Transpose", &[&mixed], &[Attribute::Integers("perm", &[1, 0, 2])]);
        let mixed = self.reshaped(&mixed, &HEADS_JOINED);

        let attended = self.dense(&format!("{base}.attention.output.dense"), DIMENSION, DIMENSION, &mixed)?;
        let sum = self.step("Add", &[&attended, hidden], &[]);
        let attended = format!("{base}.attended");
        self.normalised(&format!("{base}.attention.output.LayerNorm"), &sum, &attended)?;

        let inner = self.dense(&format!("{base}.intermediate.dense"), DIMENSION, INNER, &attended)?;
        let inner = self.step("Gelu", &[&inner], &[]);
        let outer = self.dense(&format!("{base}.output.dense"), INNER, DIMENSION, &inner)?;
        let sum = self.step("Add", &[&outer, &attended], &[]);
        self.normalised(&format!("{base}.output.LayerNorm"), &sum, output)
    }

    /// Query, key and value of a layer as one product. The division by the root of the head's size is in the query.
    fn attention_input(&self, base: &str) -> Result<Dense, SafetensorsError> {
        let mut weights = Vec::new();
        let mut bias = Vec::new();
        for (part, factor) in [("query", QUERY_FACTOR), ("key", 1.0), ("value", 1.0)] {
            let dense = self.read_dense(&format!("{base}.attention.self.{part}"), DIMENSION, DIMENSION)?;
            weights.push(dense.weights.scaled(factor));
            bias.extend(dense.bias.iter().map(|number| number * factor));
        }
        Ok(Dense { weights: Matrix::stacked(weights), bias })
    }

    fn dense(&mut self, name: &str, from: usize, to: usize, input: &str) -> Result<String, SafetensorsError> {
        let dense = self.read_dense(name, from, to)?;
        self.product(name, input, &dense)
    }

    fn read_dense(&self, name: &str, from: usize, to: usize) -> Result<Dense, SafetensorsError> {
        let numbers = self.tensors.floats(&format!("{name}.weight"), &[to, from])?;
        let bias = self.tensors.floats(&format!("{name}.bias"), &[to])?;
        Ok(Dense { weights: Matrix { rows: to, columns: from, numbers }, bias })
    }

    /// `input` times the weights, plus the bias.
    fn product(&mut self, name: &str, input: &str, dense: &Dense) -> Result<String, SafetensorsError> {
        let Matrix { rows, columns, .. } = dense.weights;
        let [weights, scale, zero, bias] =
            ["weights", "scale", "zero", "bias"].map(|part| format!("{name}.{part}"));
        self.floats(&bias, &[rows], &dense.bias);
        let product = match self.precision {
            Precision::F32 => {
                self.floats(&weights, &[columns, rows], &dense.weights.transposed().numbers);
                self.step("MatMul", &[input, &weights], &[])
            }
            Precision::Int8 => {
                // Each token is divided by its largest number first, so that one with large numbers does not leave the
                // others few steps.
                let most = self.step("Abs", &[input], &[]);
                let most = self.step("ReduceMax", &[&most, "last"], &[Attribute::Integer("keepdims", 1)]);
                let input = self.step("Div", &[input, &most], &[]);
                let numbers = rounded(&dense.weights);
                self.integers(&weights, &[columns, rows], &transposed(&numbers.numbers, columns));
                self.integers(&zero, &[], &[0]);
                self.floats(&scale, &[rows], &numbers.scales);
                let [input8, input_scale, input_zero] = [(); 3].map(|()| self.new_value());
                self.node("DynamicQuantizeLinear", &[&input], &[&input8, &input_scale, &input_zero], &[]);
                let whole = self.step("MatMulInteger", &[&input8, &weights, &input_zero, &zero], &[]);
                let whole = self.step("Cast", &[&whole], &[Attribute::Integer("to", FLOAT.cast_signed())]);
                let factor = self.step("Mul", &[&input_scale, &scale], &[]);
                let product = self.step("Mul", &[&whole, &factor], &[]);
                self.step("Mul", &[&product, &most], &[])
            }
        };
        Ok(self.step("Add", &[&product, &bias], &[]))
    }

    fn normalised(&mut self, name: &str, input: &str, output: &str) -> Result<(), SafetensorsError> {
        let [weight, bias] = ["weight", "bias"].map(|part| format!("{name}.{part}"));
        for part in [&weight, &bias] {
            let numbers = self.tensors.floats(part, &[DIMENSION])?;
            self.floats(part, &[DIMENSION], &numbers);
        }
        let attributes = [Attribute::Integer("axis", -1), Attribute::Float("epsilon", EPSILON)];
        self.node("LayerNormalization", &[input, &weight, &bias], &[output], &attributes);
        Ok(())
    }

    fn reshaped(&mut self, input: &str, shape: &[i64]) -> String {
        let name = self.new_value();
        self.numbers(&name, shape);
        self.step("Reshape", &[input, &name], &[])
    }

    /// A few whole numbers, in the graph itself.
    fn numbers(&mut self, name: &str, numbers: &[i64]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let tensor =
            Message::new().number(1, numbers.len() as u64).number(2, INT64).text(8, name).bytes(9, &bytes);
        self.initializers.push(tensor);
    }

    fn new_value(&mut self) -> String {
        self.values += 1;
        format!("v{}", self.values)
    }

    /// A node with one new value as its output.
    fn step(&mut self, operator: &str, inputs: &[&str], attributes: &[Attribute<'_>]) -> String {
        let output = self.new_value();
        self.node(operator, inputs, &[&output], attributes);
        output
    }

    fn node(&mut self, operator: &str, inputs: &[&str], outputs: &[&str], attributes: &[Attribute<'_>]) {
        let node = inputs.iter().fold(Message::new(), |node, input| node.text(1, input));
        let node = outputs.iter().fold(node, |node, output| node.text(2, output)).text(4, operator);
        let node = attributes.iter().fold(node, |node, attribute| node.message(5, &attribute.message()));
        self.nodes.push(node);
    }

    fn floats(&mut self, name: &str, shape: &[usize], numbers: &[f32]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.initializer(name, FLOAT, shape, &bytes);
    }

    fn integers(&mut self, name: &str, shape: &[usize], numbers: &[i8]) {
        let bytes: Vec<u8> = numbers.iter().map(|number| number.cast_unsigned()).collect();
        self.initializer(name, INT8, shape, &bytes);
    }

    /// A tensor whose numbers are in the data file.
    fn initializer(&mut self, name: &str, kind: u64, shape: &[usize], bytes: &[u8]) {
        self.data.resize(self.data.len().next_multiple_of(ALIGNMENT), 0);
        let offset = self.data.len();
        self.data.extend(bytes);
        let tensor = shape
            .iter()
            .fold(Message::new(), |tensor, &size| tensor.number(1, size as u64))
            .number(2, kind)
            .text(8, name);
        let place = [
            ("location", DATA_FILE.to_owned()),
            ("offset", offset.to_string()),
            ("length", bytes.len().to_string()),
        ];
        let tensor = place.into_iter().fold(tensor, |tensor, (key, value)| {
            tensor.message(13, &Message::new().text(1, key).text(2, &value))
        });
        self.initializers.push(tensor.number(14, 1));
    }

    fn finish(self) -> Converted {
        let graph = self.nodes.into_iter().fold(Message::new(), |graph, node| graph.message(1, &node));
        let graph = self
            .initializers
            .into_iter()
            .fold(graph.text(2, "all-MiniLM-L6-v2"), |graph, tensor| graph.message(5, &tensor));
        let graph = [IDS, POSITIONS]
            .iter()
            .fold(graph, |graph, name| graph.message(11, &value(name, INT32, &[None])));
        let graph = graph.message(12, &value(OUTPUT, FLOAT, &[None, Some(DIMENSION)]));
        let operators = Message::new().text(1, "").number(2, 20);
        let model = Message::new().number(1, 9).text(2, "engine").message(7, &graph).message(8, &operators);
        Converted { graph: model.into_bytes(), data: self.data }
    }
}

/// A layer of weights, a row for each output.
struct Dense {
    weights: Matrix,
    bias: Vec<f32>,
}

impl Attribute<'_> {
    fn message(&self) -> Message {
        match self {
            Self::Float(name, value) => Message::new().text(1, name).float(2, *value).number(20, 1),
            Self::Integer(name, value) => {
                Message::new().text(1, name).number(3, value.cast_unsigned()).number(20, 2)
            }
            Self::Integers(name, values) => {
                let message = Message::new().text(1, name);
                values
                    .iter()
                    .fold(message, |message, value| message.number(8, value.cast_unsigned()))
                    .number(20, 7)
            }
        }
    }
}

/// An input or output. A size that is not known is the number of tokens.
fn value(name: &str, kind: u64, shape: &[Option<usize>]) -> Message {
    let shape = shape.iter().fold(Message::new(), |message, size| {
        let size = size
            .map_or_else(|| Message::new().text(2, "tokens"), |size| Message::new().number(1, size as u64));
        message.message(1, &size)
    });
    let tensor = Message::new().number(1, kind).message(2, &shape);
    Message::new().text(1, name).message(2, &Message::new().message(1, &tensor))
}
