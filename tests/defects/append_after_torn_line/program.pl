#!/usr/bin/env perl
# Keeps a log of one record a line. Usage: program.pl op|recover|check DIR
use strict;
use warnings;
use IO::Handle;

my ($verb, $dir) = @ARGV;

sub append {
    my ($record) = @_;
    open my $log, '>>:raw', "$dir/log" or die "cannot open the log: $!\n";
    print {$log} "$record\n" and $log->flush and $log->sync or die "cannot write the log: $!\n";
    close $log or die "cannot write the log: $!\n";
}

sub fail { print "$_[0]\n"; exit 1 }

my %verbs = (
    op => sub { append('second') },
    recover => sub { append('recovered') },
    check => sub {
        open my $file, '<:raw', "$dir/log" or fail('The log is lost.');
        chomp(my @lines = <$file>);
        fail('The first record is lost.') if !@lines || $lines[0] ne 'first';
        fail('A record is lost in a torn line.') if grep { /.(?:second|recovered)\z/s } @lines;
    },
);
$verbs{$verb}->();
