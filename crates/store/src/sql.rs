//! Domain values as columns, and rows as structs.

use gatehouse_domain::{
    AdmissionId, AdmissionStatus, AnsweredBy, ApprovalChoice, ApprovalId, ApprovalState, Attention, Author, CallId,
    CardAnnotation, CardStatus, Category, ConsumedBy, DeliveryState, DropReason, EndReason, Epoch, EpochMs, Exit,
    FailureCode, Fence, IncidentId, ItemId, ItemKind, Marker, NoticeId, NoticeKind, ObligationId, OutboxState,
    OwedKind, OwedState, Principal, ProcessId, ProcessState, Producer, Rev, RuleId, RuleKind, SegmentKind, SessionId,
    StoppedBy, TaskState, Tone, TurnCause, TurnId, TurnProgress, TurnState, UnitId, Wants, WatchNews, WorkState,
};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Params, Row};
use uuid::Uuid;

use crate::error::{Error, Result};

/// A value that goes into one column.
pub(crate) trait Put {
    fn put(&self) -> rusqlite::Result<ToSqlOutput<'_>>;
}

/// A value that comes out of one column.
pub(crate) trait Take: Sized {
    fn take(value: ValueRef<'_>) -> FromSqlResult<Self>;
}

/// Carries our traits over to rusqlite's, which may not be implemented on the domain's types here.
pub(crate) struct Col<T>(pub T);

impl<T: Put + ?Sized> ToSql for Col<&T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.put()
    }
}

impl<T: Take> FromSql for Col<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        T::take(value).map(Col)
    }
}

/// Parameters of a statement.
macro_rules! args {
    ($($value:expr),* $(,)?) => { rusqlite::params![$($crate::sql::Col(&$value)),*] };
}
pub(crate) use args;

impl<T: Put + ?Sized> Put for &T {
    fn put(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        (**self).put()
    }
}

impl<T: Put> Put for Option<T> {
    fn put(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.as_ref().map_or(Ok(ToSqlOutput::Owned(Value::Null)), Put::put)
    }
}

impl<T: Take> Take for Option<T> {
    fn take(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Null => Ok(None),
            other => T::take(other).map(Some),
        }
    }
}

macro_rules! plain {
    ($($type:ty),+) => {$(
        impl Put for $type {
            fn put(&self) -> rusqlite::Result<ToSqlOutput<'_>> { self.to_sql() }
        }
        impl Take for $type {
            fn take(value: ValueRef<'_>) -> FromSqlResult<Self> { <$type>::column_result(value) }
        }
    )+};
}
plain!(String, i64, i32, u32, bool);

impl Put for str {
    fn put(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.to_sql()
    }
}

impl Put for u64 {
    fn put(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        i64::try_from(*self)
            .map(|n| ToSqlOutput::Owned(Value::Integer(n)))
            .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))
    }
}

impl Take for u64 {
    fn take(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let n = value.as_i64()?;
        Self::try_from(n).map_err(|_| FromSqlError::OutOfRange(n))
    }
}

macro_rules! wrapped {
    ($($type:ident as $inner:ty),+) => {$(
        impl Put for $type {
            fn put(&self) -> rusqlite::Result<ToSqlOutput<'_>> { self.0.put() }
        }
        impl Take for $type {
            fn take(value: ValueRef<'_>) -> FromSqlResult<Self> { <$inner>::take(value).map($type) }
        }
    )+};
}
wrapped!(EpochMs as i64, Rev as u64, Fence as u64, CallId as String);

macro_rules! ids {
    ($($type:ident),+) => {$(
        impl Put for $type {
            fn put(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(ToSqlOutput::Owned(Value::Blob(self.uuid().as_bytes().to_vec())))
            }
        }
        impl Take for $type {
            fn take(value: ValueRef<'_>) -> FromSqlResult<Self> {
                <[u8; 16]>::column_result(value).map(|bytes| Self::from_uuid(Uuid::from_bytes(bytes)))
            }
        }
    )+};
}
ids!(
    SessionId,
    TurnId,
    ItemId,
    ProcessId,
    UnitId,
    AdmissionId,
    ApprovalId,
    RuleId,
    IncidentId,
    NoticeId,
    ObligationId,
    Epoch
);

macro_rules! words {
    ($($type:ident),+) => {$(
        impl Put for $type {
            fn put(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(ToSqlOutput::Borrowed(ValueRef::Text(self.as_str().as_bytes())))
            }
        }
        impl Take for $type {
            fn take(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str()?.parse().map_err(|e| FromSqlError::Other(Box::new(e)))
            }
        }
    )+};
}
words!(
    AdmissionStatus,
    AnsweredBy,
    ApprovalChoice,
    ApprovalState,
    Attention,
    Author,
    CardAnnotation,
    CardStatus,
    Category,
    ConsumedBy,
    DeliveryState,
    DropReason,
    EndReason,
    FailureCode,
    ItemKind,
    Marker,
    NoticeKind,
    OutboxState,
    OwedKind,
    OwedState,
    Principal,
    ProcessState,
    Producer,
    RuleKind,
    SegmentKind,
    StoppedBy,
    TaskState,
    Tone,
    TurnCause,
    TurnProgress,
    TurnState,
    Wants,
    WatchNews,
    WorkState
);

/// Walks over a row from left to right.
pub(crate) struct Cursor<'r> {
    row: &'r Row<'r>,
    at: usize,
}

impl<'r> Cursor<'r> {
    pub(crate) const fn new(row: &'r Row<'r>) -> Self {
        Self { row, at: 0 }
    }

    /// The next field, which may be wider than a column.
    pub(crate) fn next<T: Field>(&mut self) -> rusqlite::Result<T> {
        T::read(self)
    }

    fn column<T: Take>(&mut self) -> rusqlite::Result<T> {
        let at = self.at;
        self.at += 1;
        self.row.get::<_, Col<T>>(at).map(|col| col.0)
    }

    /// A row from the right side of an outer join: absent when its first column, which is never null, is.
    pub(crate) fn joined<T: Record>(&mut self) -> rusqlite::Result<Option<T>> {
        if self.row.get_ref(self.at)? == ValueRef::Null {
            self.at += T::WIDTH;
            return Ok(None);
        }
        T::read(self).map(Some)
    }
}

/// A field of a row struct: one column, except for `Exit`.
pub(crate) trait Field: Sized {
    fn read(cursor: &mut Cursor<'_>) -> rusqlite::Result<Self>;
}

impl<T: Take> Field for T {
    fn read(cursor: &mut Cursor<'_>) -> rusqlite::Result<Self> {
        cursor.column()
    }
}

impl Field for Option<Exit> {
    fn read(cursor: &mut Cursor<'_>) -> rusqlite::Result<Self> {
        let kind: Option<String> = cursor.column()?;
        let number: i32 = cursor.column()?;
        match kind.as_deref() {
            None => Ok(None),
            Some("code") => Ok(Some(Exit::Code(number))),
            Some("signal") => Ok(Some(Exit::Signal(number))),
            Some("unknown") => Ok(Some(Exit::Unknown)),
            Some(word) => Err(rusqlite::Error::FromSqlConversionFailure(
                cursor.at - 2,
                rusqlite::types::Type::Text,
                format!("unknown Exit: {word:?}").into(),
            )),
        }
    }
}

/// The two columns of an exit.
pub(crate) const fn exit_columns(exit: Option<Exit>) -> (Option<&'static str>, i32) {
    match exit {
        None => (None, 0),
        Some(Exit::Code(code)) => (Some("code"), code),
        Some(Exit::Signal(signal)) => (Some("signal"), signal),
        Some(Exit::Unknown) => (Some("unknown"), 0),
    }
}

/// A struct with one field per column (or pair of columns) of a table.
pub(crate) trait Record: Sized {
    /// The columns, each with its table's name, in the order of the fields.
    const COLUMNS: &'static str;
    const WIDTH: usize;
    fn read(cursor: &mut Cursor<'_>) -> rusqlite::Result<Self>;
}

/// Declares a row struct and how it is read; a field's columns are named only where they differ from the field.
macro_rules! record {
    (
        $(#[$meta:meta])*
        $name:ident of $table:literal {
            $(#[$kmeta:meta])* $key:ident: $ktype:ty,
            $($(#[$fmeta:meta])* $field:ident: $type:ty $(= $column:literal, $second:literal)?,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $(#[$kmeta])* pub $key: $ktype,
            $($(#[$fmeta])* pub $field: $type,)*
        }

        impl $crate::sql::Record for $name {
            const COLUMNS: &'static str = concat!(
                $table, ".", stringify!($key)
                $(, $crate::sql::record!(@columns $table, $field $(, $column, $second)?))*
            );
            const WIDTH: usize = 1 $(+ $crate::sql::record!(@width $field $(, $column, $second)?))*;

            fn read(cursor: &mut $crate::sql::Cursor<'_>) -> rusqlite::Result<Self> {
                Ok(Self { $key: cursor.next()?, $($field: cursor.next()?,)* })
            }
        }
    };
    (@columns $table:literal, $field:ident) => { concat!(", ", $table, ".", stringify!($field)) };
    (@columns $table:literal, $field:ident, $column:literal, $second:literal) => {
        concat!(", ", $table, ".", $column, ", ", $table, ".", $second)
    };
    (@width $field:ident) => { 1 };
    (@width $field:ident, $column:literal, $second:literal) => { 2 };
}
pub(crate) use record;

/// Every row that `tail` (what follows the column list) selects.
pub(crate) fn all<T: Record>(conn: &Connection, tail: &str, params: impl Params) -> Result<Vec<T>> {
    let mut statement = conn.prepare_cached(&format!("SELECT {} {tail}", T::COLUMNS))?;
    let rows = statement.query_map(params, |row| T::read(&mut Cursor::new(row)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The first row that `tail` selects.
pub(crate) fn first<T: Record>(conn: &Connection, tail: &str, params: impl Params) -> Result<Option<T>> {
    let mut statement = conn.prepare_cached(&format!("SELECT {} {tail}", T::COLUMNS))?;
    let mut rows = statement.query(params)?;
    Ok(rows.next()?.map(|row| T::read(&mut Cursor::new(row))).transpose()?)
}

/// The first column of every row of a whole statement.
pub(crate) fn values<T: Take>(conn: &Connection, sql: &str, params: impl Params) -> Result<Vec<T>> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(params, |row| row.get::<_, Col<T>>(0).map(|col| col.0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The first column of the first row of a whole statement.
pub(crate) fn value<T: Take>(conn: &Connection, sql: &str, params: impl Params) -> Result<Option<T>> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    Ok(rows.next()?.map(|row| row.get::<_, Col<T>>(0).map(|col| col.0)).transpose()?)
}

/// Runs a statement that changes rows; how many it changed.
pub(crate) fn change(conn: &Connection, sql: &str, params: impl Params) -> Result<usize> {
    Ok(conn.prepare_cached(sql)?.execute(params)?)
}

/// The error for a row that should be there.
pub(crate) fn missing(table: &'static str, id: impl std::fmt::Display) -> Error {
    Error::NoSuchRow { table, id: id.to_string() }
}
