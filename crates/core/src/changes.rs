//! Variables and their new values in a trace, in the order of declaration: JSON objects in the file. The names of one
//! object are all different.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Variables with their new values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes(pub Vec<(String, String)>);

/// Variables of the whole state with their new values; `None` (`null`) where a variable is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateChanges(pub Vec<(String, Option<String>)>);

impl Changes {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Changes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for StateChanges {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Changes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData)).map(Changes)
    }
}

impl<'de> Deserialize<'de> for StateChanges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData)).map(StateChanges)
    }
}

/// Reads the entries of an object in their order.
struct Entries<V>(PhantomData<V>);

impl<'de, V: DeserializeOwned> Visitor<'de> for Entries<V> {
    type Value = Vec<(String, V)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of variables to values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }
}
