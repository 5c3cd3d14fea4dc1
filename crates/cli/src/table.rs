//! Columns that line up, also with wide characters. The last column is not padded.

use unicode_width::UnicodeWidthStr;

/// One line per row, the columns two blanks apart, each line indented by `indent`.
pub(crate) fn aligned(rows: &[Vec<String>], indent: &str) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let visible = |cell: &String| anstream::adapter::strip_str(cell).to_string().width();
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(visible).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::from(indent);
        for (column, cell) in row.iter().enumerate() {
            line.push_str(cell);
            if column + 1 < row.len() {
                line.push_str(&" ".repeat(widths[column] - visible(cell) + 2));
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_up() {
        let row = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect();
        let rows: Vec<Vec<String>> = vec![row(&["a", "日本", "x"]), row(&["long", "b", "y"]), row(&["c"])];
        assert_eq!(aligned(&rows, " "), " a     日本  x\n long  b     y\n c\n");
    }
}
