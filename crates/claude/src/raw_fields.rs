//! The fields of a JSON object that somebody wants, raw and in one pass; everything else is passed over.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

pub(crate) type Raw<'a> = Option<&'a RawValue>;

#[derive(Deserialize)]
pub(crate) struct Key<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// A struct of raw fields, and how to read it. Of a field that stands twice the last counts, as for the client.
macro_rules! raw_fields {
    ($(#[$about:meta])* struct $name:ident { $($field:ident),* $(,)? }) => {
        $(#[$about])*
        #[derive(Default)]
        struct $name<'a> { $($field: $crate::raw_fields::Raw<'a>),* }

        impl<'a> $name<'a> {
            /// Refuses what is not one JSON object.
            fn read(text: &'a str) -> Result<Self, serde_json::Error> {
                struct Fields;

                impl<'de> serde::de::Visitor<'de> for Fields {
                    type Value = $name<'de>;

                    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        out.write_str("an object")
                    }

                    fn visit_map<M: serde::de::MapAccess<'de>>(self, mut map: M) -> Result<$name<'de>, M::Error> {
                        let mut fields = $name::default();
                        while let Some($crate::raw_fields::Key(key)) = map.next_key()? {
                            match &*key {
                                $(stringify!($field) => fields.$field = Some(map.next_value()?),)*
                                _ => {
                                    map.next_value::<serde::de::IgnoredAny>()?;
                                }
                            }
                        }
                        Ok(fields)
                    }
                }

                let mut reader = serde_json::Deserializer::from_str(text);
                let fields = serde::de::Deserializer::deserialize_map(&mut reader, Fields)?;
                reader.end()?;
                Ok(fields)
            }
        }
    };
}

pub(crate) use raw_fields;
