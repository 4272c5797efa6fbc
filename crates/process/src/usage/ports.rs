//! The ports on which a job waits for connections. Two tables of the kernel name every listening socket; a job has those
//! among its members' descriptors. Nothing is read unless somebody asks.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::tree::{self, Member};

const TABLES: [&str; 2] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
/// The kernel's number for a socket that waits for connections.
const LISTENS: &str = "0A";
/// Where in a line of such a table these stand.
const LOCAL: usize = 1;
const STATE: usize = 3;
const INODE: usize = 9;

/// Every listening socket of this network, by the number that descriptors name it with.
#[derive(Debug, Clone, Default)]
pub struct Listening {
    sockets: HashMap<u64, SocketAddr>,
}

impl Listening {
    /// As it is now.
    pub fn look() -> io::Result<Self> {
        let mut sockets = HashMap::new();
        for table in TABLES {
            match std::fs::read_to_string(table) {
                Ok(text) => sockets.extend(text.lines().skip(1).filter_map(parse)),
                // A kernel without the second one.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self { sockets })
    }

    /// Where these wait for connections, each address once, in order of the ports.
    pub fn of(&self, members: &[Member]) -> Vec<SocketAddr> {
        if self.sockets.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<SocketAddr> = members.iter().flat_map(|member| self.of_one(member)).collect();
        found.sort_by_key(|address| (address.port(), address.ip()));
        found.dedup();
        found
    }

    /// Whoever ended meanwhile, or may not be read, has none.
    fn of_one(&self, member: &Member) -> Vec<SocketAddr> {
        let descriptors = std::fs::read_dir(format!("/proc/{}/fd", member.pid)).into_iter().flatten().flatten();
        let inodes = descriptors.filter_map(|entry| inode(std::fs::read_link(entry.path()).ok()?.to_str()?));
        let found: Vec<SocketAddr> = inodes.filter_map(|inode| self.sockets.get(&inode).copied()).collect();
        // The number may have changed hands under our eyes.
        let is_same = |now: Option<Member>| now.is_some_and(|now| now.start == member.start);
        if tree::member(member.pid).is_ok_and(is_same) { found } else { Vec::new() }
    }
}

fn inode(link: &str) -> Option<u64> {
    link.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

fn parse(line: &str) -> Option<(u64, SocketAddr)> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    if *fields.get(STATE)? != LISTENS {
        return None;
    }
    let (address, port) = fields.get(LOCAL)?.split_once(':')?;
    let address = SocketAddr::new(ip(address)?, u16::from_str_radix(port, 16).ok()?);
    Some((fields.get(INODE)?.parse().ok()?, address))
}

/// The kernel prints an address as words of its own byte order.
fn ip(hex: &str) -> Option<IpAddr> {
    let words: Option<Vec<u32>> =
        hex.as_bytes().chunks(8).map(|word| u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok()).collect();
    let bytes: Vec<u8> = words?.iter().flat_map(|word| word.to_ne_bytes()).collect();
    match <[u8; 4]>::try_from(bytes.as_slice()) {
        Ok(four) => Some(Ipv4Addr::from(four).into()),
        Err(_) => Some(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?).into()),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn only_listening_sockets_are_taken_from_the_table() {
        let listens = "0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1";
        let (inode, address) = parse(listens).unwrap();
        assert_eq!(inode, 4242);
        if cfg!(target_endian = "little") {
            assert_eq!(address, "127.0.0.1:8080".parse().unwrap());
        }
        assert_eq!(parse(&listens.replace(" 0A ", " 01 ")), None);
        assert_eq!(parse("sl local_address"), None);
    }

    #[test]
    fn a_port_is_there_as_long_as_a_member_listens() {
        let ourselves = tree::member(std::process::id()).unwrap().unwrap();
        for any in ["127.0.0.1:0", "[::1]:0"] {
            // Not every machine has the second kind.
            let Ok(listener) = TcpListener::bind(any) else { continue };
            let address = listener.local_addr().unwrap();
            let found = Listening::look().unwrap();
            assert!(found.of(&[ourselves]).contains(&address), "{address}");
            let recycled = Member { start: ourselves.start + 1, ..ourselves };
            assert!(found.of(&[recycled]).is_empty() && found.of(&[]).is_empty());
            drop(listener);
            assert!(!Listening::look().unwrap().of(&[ourselves]).contains(&address));
        }
    }
}
