//! Reads tensors of 32-bit floats out of a `.safetensors` file: the length of a JSON list of tensors, the list, the data.

use std::collections::HashMap;

use serde::Deserialize;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SafetensorsError {
    #[error("the weights are not a safetensors file: {0}")]
    Unreadable(&'static str),
    #[error("the weights have no tensor `{name}` of {shape:?} 32-bit floats")]
    Missing { name: String, shape: Vec<usize> },
}

/// The tensors of a file, by name.
pub(super) struct Tensors<'b> {
    listed: HashMap<String, Listed>,
    data: &'b [u8],
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    dtype: String,
    #[serde(default)]
    shape: Vec<usize>,
    #[serde(default)]
    data_offsets: [usize; 2],
}

impl<'b> Tensors<'b> {
    pub(super) fn read(bytes: &'b [u8]) -> Result<Self, SafetensorsError> {
        let unreadable = SafetensorsError::Unreadable;
        let (length, rest) = bytes.split_first_chunk().ok_or(unreadable("it is cut off"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let (list, data) = rest.split_at_checked(length).ok_or(unreadable("it is cut off"))?;
        let listed =
            serde_json::from_slice(list).map_err(|_| unreadable("its list of tensors is not JSON"))?;
        Ok(Self { listed, data })
    }

    /// The numbers of a tensor, which must have the shape.
    pub(super) fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, SafetensorsError> {
        let find = || {
            let listed =
                self.listed.get(name).filter(|listed| listed.dtype == "F32" && listed.shape == shape)?;
            let [start, end] = listed.data_offsets;
            let bytes = self.data.get(start..end)?;
            (bytes.len() == shape.iter().product::<usize>() * 4).then_some(bytes)
        };
        let bytes = find()
            .ok_or_else(|| SafetensorsError::Missing { name: name.to_owned(), shape: shape.to_vec() })?;
        Ok(bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(list: &str, data: &[f32]) -> Vec<u8> {
        let data: Vec<u8> = data.iter().flat_map(|number| number.to_le_bytes()).collect();
        [&(list.len() as u64).to_le_bytes()[..], list.as_bytes(), &data].concat()
    }

    #[test]
    fn a_tensor_is_read_if_it_is_what_it_should_be() {
        let list = r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[4,12]},
            "far":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},"whole":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}"#;
        let bytes = file(list, &[1.0, 2.0, 3.0]);
        let tensors = Tensors::read(&bytes).unwrap();
        assert_eq!(tensors.floats("a", &[1, 2]), Ok(vec![2.0, 3.0]));
        for (name, shape) in [("a", &[2][..]), ("b", &[1, 2]), ("far", &[2]), ("whole", &[1])] {
            let error = tensors.floats(name, shape).unwrap_err().to_string();
            assert_eq!(error, format!("the weights have no tensor `{name}` of {shape:?} 32-bit floats"));
        }
    }

    #[test]
    fn another_file_is_refused() {
        for bytes in [&b""[..], b"1234567", &[0xff; 20], &file("{]", &[])] {
            assert!(Tensors::read(bytes).is_err(), "{bytes:?}");
        }
    }
}
