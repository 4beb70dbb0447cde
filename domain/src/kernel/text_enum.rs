//! Enums whose values are texts: one list of variants and names gives the values in JSON, in the database and in the API
//! description, `ALL`, `name` and `FromStr`.

/// Defines an enum of texts: `text_enum! { pub enum Size { Small = "small", Large = "large" } }`.
///
/// After `no FromStr;` the enum parses texts of people itself, with `from_name` for the names.
macro_rules! text_enum {
    (no FromStr; $(#[$meta:meta])* $vis:vis enum $type:ident { $($(#[$attr:meta])* $variant:ident = $name:tt),+ $(,)? }) => {
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, sqlx::Type, utoipa::ToSchema,
        )]
        #[sqlx(type_name = "text")]
        $(#[$meta])*
        $vis enum $type {
            $($(#[$attr])* #[serde(rename = $name)] #[sqlx(rename = $name)] $variant,)+
        }

        ::db::column_type! { Plain: $type }

        impl $type {
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// # Errors
            /// `unknown` with the names that are `allowed`.
            pub fn from_name(name: &str) -> std::result::Result<Self, $crate::kernel::error::Problem> {
                Self::ALL.into_iter().find(|value| value.name() == name).ok_or_else(|| {
                    $crate::kernel::error::Problem::new("unknown").with("allowed", Self::ALL.map(Self::name).join(", "))
                })
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis enum $type:ident { $($variants:tt)+ }) => {
        $crate::kernel::text_enum! { no FromStr; $(#[$meta])* $vis enum $type { $($variants)+ } }

        impl std::str::FromStr for $type {
            type Err = $crate::kernel::error::Problem;

            fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
                Self::from_name(text)
            }
        }
    };
}
pub(crate) use text_enum;
